package dev.agwp.spec.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.spec.Tool;
import dev.agwp.spec.audit.Event.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an audit log of any release is in bytes; cut-release freezes the vectors with it. */
final class AuditVectorsTest {
  private static final Path NEXT_RELEASE = Path.of("src/test/resources/audit");
  private static final Path MADE_NOW = Path.of("target/audit-vectors");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** When a new event is meant, and no byte of the old ones differs, copy target/audit-vectors over the files. */
  @Test
  void no_byte_of_the_audit_format_changes() throws IOException {
    AuditVectors.write(MADE_NOW);

    for (String file : List.of("events.json", "log.json")) {
      assertThat(MADE_NOW.resolve(file)).hasSameTextualContentAs(NEXT_RELEASE.resolve(file));
    }
  }

  @Test
  void todays_code_gives_the_bytes_and_hashes_of_every_release() throws IOException {
    for (Path folder : folders()) {
      JsonNode vectors = JSON.readTree(folder.resolve("events.json").toFile());
      assertThat(vectors).hasSizeGreaterThanOrEqualTo(20);
      for (JsonNode vector : vectors) {
        byte[] preimage = bytes(vector.get("preimage"));
        Event event = Event.read(preimage).orElseThrow();
        assertThat(event.preimage()).isEqualTo(preimage);
        assertThat(Chain.leaf(preimage)).isEqualTo(bytes(vector.get("leaf_hash")));
        assertThat(texts(event)).isEqualTo(texts(vector.get("fields")));
      }
      assertLogHolds(JSON.readTree(folder.resolve("log.json").toFile()));
    }
  }

  private static void assertLogHolds(JsonNode log) {
    CheckpointKey key = CheckpointKey.ofPublic(log.get("public_key").asText());
    List<byte[]> chains = new ArrayList<>(List.of(Chain.empty()));
    for (JsonNode event : log.get("events")) {
      int seq = chains.size();
      chains.add(Chain.next(chains.get(seq - 1), seq, Chain.leaf(bytes(event.get("preimage")))));
      assertThat(chains.get(seq)).isEqualTo(bytes(event.get("chain_hash")));
    }
    assertThat(log.get("checkpoints")).isNotEmpty();
    for (JsonNode note : log.get("checkpoints")) {
      Checkpoint checkpoint = Checkpoint.parse(note.asText());
      assertThat(checkpoint.hash()).isEqualTo(chains.get((int) checkpoint.size()));
      assertThat(key.hasSigned(note.asText())).isTrue();
    }
  }

  @Test
  void a_program_in_another_language_gives_the_same_bytes_and_hashes() throws IOException {
    List<String> command = new ArrayList<>(List.of(Tool.python(), "src/test/python/check_audit_vectors.py"));
    folders().forEach(folder -> command.add(folder.toString()));

    Tool.Finished checked = Tool.run(Path.of("."), command);

    assertThat(checked.status()).as(checked.output()).isZero();
    assertThat(checked.output().lines()).hasSize(folders().size());
  }

  @Test
  void every_kind_of_event_has_a_vector() throws IOException {
    String vectors = Files.readString(NEXT_RELEASE.resolve("events.json"));

    assertThat(Stream.of(EventKind.values()).map(EventKind::word)).allMatch(kind -> vectors.contains("\"" + kind + "\""));
  }

  /** The vectors of the next release, and of every one that has some. */
  private static List<Path> folders() throws IOException {
    try (Stream<Path> releases = Files.list(Path.of("released"))) {
      return Stream.concat(Stream.of(NEXT_RELEASE), releases.map(release -> release.resolve(AuditVectors.FOLDER)).filter(Files::isDirectory))
          .toList();
    }
  }

  private static byte[] bytes(JsonNode hex) {
    return HexFormat.of().parseHex(hex.asText());
  }

  private static Map<String, String> texts(Event event) {
    Map<String, String> texts = new java.util.TreeMap<>();
    for (Map.Entry<Field, Object> value : event.values().entrySet()) {
      texts.put(value.getKey().name().toLowerCase(Locale.ROOT), value.getValue().toString());
    }
    return texts;
  }

  private static Map<String, String> texts(JsonNode fields) {
    Map<String, String> texts = new java.util.TreeMap<>();
    fields.properties().forEach(field -> texts.put(field.getKey(), field.getValue().asText()));
    return texts;
  }
}

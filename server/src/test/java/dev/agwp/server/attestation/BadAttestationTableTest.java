package dev.agwp.server.attestation;

import static dev.agwp.server.testing.Signer.bare;
import static dev.agwp.server.testing.Signer.enveloped;
import static dev.agwp.server.testing.Signer.statement;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One row, one attestation that must not count: its answer, and nothing written. The queue requires a signature. */
@Execution(ExecutionMode.CONCURRENT)
final class BadAttestationTableTest {
  private static final String HEX = "ab".repeat(32);
  private static final String MALFORMED = "400 invalid_argument -";
  private static final String MISMATCH = "400 invalid_argument attestation_mismatch";
  private static final String INVALID = "409 failed_precondition attestation_invalid";

  private final Signer signer = Signer.ed25519();
  private final Signer p256 = Signer.p256();
  private final Signer stranger = Signer.ed25519();
  private final Signer revoked = Signer.ed25519();

  /** @param body the envelope for a job */
  private record Row(String answer, Function<String, String> body) {}

  private Map<String, Row> rows() {
    Map<String, Row> rows = new LinkedHashMap<>();
    rows.put("no JSON", new Row(MALFORMED, job -> "nonsense"));
    rows.put("a bare statement called an envelope", new Row(MALFORMED, job -> statement(HEX, job, 1)));
    rows.put("payload not base64", envelope(MALFORMED, json -> json.put("payload", "%%")));
    rows.put("payload with white space", envelope(MALFORMED, json -> json.put("payload", json.get("payload").asText() + "\n")));
    rows.put("payload with spare bits", envelope(MALFORMED, json -> json.put("payload", "QR==")));
    rows.put("payload without padding", envelope(MALFORMED, json -> json.put("payload", "QQ")));
    rows.put("payload empty", envelope(MALFORMED, json -> json.put("payload", "")));
    rows.put("another payloadType", envelope(MALFORMED, json -> json.put("payloadType", "application/json")));
    rows.put("no payloadType", envelope(MALFORMED, json -> json.remove("payloadType")));
    rows.put("0 signatures", envelope(MALFORMED, json -> json.putArray("signatures")));
    rows.put("1000 signatures", envelope(MALFORMED, json -> {
      for (int i = 0; i < 999; i++) {
        json.withArray("signatures").addObject().put("sig", "AAAA");
      }
    }));
    rows.put("a keyid of 1 MB", envelope(MALFORMED, json -> ((ObjectNode) json.at("/signatures/0")).put("keyid", "k".repeat(1_000_000))));
    rows.put("sig not base64", envelope(MALFORMED, json -> sig(json, "%%")));
    for (int length : new int[] {0, 1, 63, 65, 1000}) {
      rows.put("sig of " + length + " bytes", envelope(INVALID, json ->
          sig(json, Base64.getEncoder().encodeToString(Arrays.copyOf(sig(json), length)))));
    }
    rows.put("sig of another payload", envelope(INVALID, json -> json.put("payload", withASpaceMore(json.get("payload").asText()))));
    rows.put("sig of a stranger", new Row(INVALID, job -> stranger.signed(statement(HEX, job, 1))));
    rows.put("sig of a stranger under my keyid", envelope(stranger, INVALID, json ->
        ((ObjectNode) json.at("/signatures/0")).put("keyid", signer.key().id())));
    rows.put("sig of a revoked key", new Row(INVALID, job -> revoked.signed(statement(HEX, job, 1))));
    rows.put("ECDSA of zeros", envelope(p256, INVALID, json -> sig(json, Base64.getEncoder().encodeToString(new byte[] {0x30, 6, 2, 1, 0, 2, 1, 0}))));
    rows.put("two bad signatures", envelope(INVALID, json -> {
      sig(json, "AAAA");
      json.withArray("signatures").addObject().put("sig", "BBBB");
    }));
    rows.put("another job", new Row(MISMATCH, job -> signer.signed(statement(HEX, "other", 1))));
    rows.put("another attempt", new Row(MISMATCH, job -> signer.signed(statement(HEX, job, 2))));
    rows.put("no subject", new Row(MALFORMED, job -> signer.signed(statement("[]", predicate(job)))));
    rows.put("another digest", new Row(MISMATCH, job -> signer.signed(statement("cd".repeat(32), job, 1))));
    rows.put("the digest in upper case", new Row(MISMATCH, job -> signer.signed(statement(HEX.toUpperCase(java.util.Locale.ROOT), job, 1))));
    rows.put("the digest cut", new Row(MISMATCH, job -> signer.signed(statement(HEX.substring(1), job, 1))));
    rows.put("only md5", new Row(MISMATCH, job -> signer.signed(statement("[{\"digest\":{\"md5\":\"" + HEX + "\"}}]", predicate(job)))));
    rows.put("65 subjects", new Row(MALFORMED, job -> signer.signed(statement(
        "[" + ("{\"digest\":{\"sha256\":\"" + HEX + "\"}},").repeat(64) + "{\"digest\":{\"sha256\":\"" + HEX + "\"}}]", predicate(job)))));
    rows.put("a key twice in the payload", new Row(MALFORMED, job ->
        signer.signed(statement(HEX, job, 1).replace("\"subject\":", "\"subject\":[],\"subject\":"))));
    rows.put("a key twice in the envelope", new Row(MALFORMED, job ->
        signer.signed(statement(HEX, job, 1)).replace("\"payload\":", "\"payload\":\"\",\"payload\":")));
    rows.put("nested too deep", new Row(MALFORMED, job -> signer.signed(statement("[{\"digest\":{\"sha256\":\"" + HEX + "\"}}]",
        "{\"job_id\":\"" + job + "\",\"fencing_token\":1,\"a\":" + "[".repeat(40) + "]".repeat(40) + "}"))));
    rows.put("a token that is none", new Row(MALFORMED, job -> signer.signed(statement(HEX, job, 0))));
    return rows;
  }

  @EveryDatabase
  void every_attestation_that_must_not_count_is_refused_and_nothing_is_written(TestDatabase database) {
    Api api = database.serve();
    signer.addedFor("local", database);
    p256.addedFor("local", database);
    revoked.addedFor("local", database).revoke(database);
    stranger.addedFor("somebody-else", database);
    String jobId = api.aClaimedJob("w", "\"subject_digest\": \"sha256:" + HEX + "\"");
    api.patch("/v1/queues/q", "{\"attestation\": \"signed\"}").ok();
    List<String> before = database.everything();

    rows().forEach((name, row) -> {
      Api.Answer answer = api.call("complete", jobId, "w", "\"fencing_token\": 1", enveloped(row.body().apply(jobId)));
      assertThat(answer.status() + " " + answer.code() + " " + answer.json().path("reason").asText("-")).as(name + " " + answer.json())
          .isEqualTo(row.answer());
      if (answer.status() == 400) {
        assertThat(answer.json().at("/errors/0/field").asText()).as(name).isEqualTo("attestation.body");
      }
      assertThat(answer.json().get("detail").asText()).as(name).doesNotContain("Exception", "jackson", "java.");
      assertThat(database.everything()).as(name).isEqualTo(before);
    });

    api.call("complete", jobId, "w", "\"fencing_token\": 1", enveloped(signer.signed(statement(HEX, jobId, 1)))).ok();
  }

  @EveryDatabase
  void every_bare_statement_that_is_none_is_refused_whatever_is_required(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", "\"subject_digest\": \"sha256:" + HEX + "\"");

    for (String policy : List.of("none", "required")) {
      api.patch("/v1/queues/q", "{\"attestation\": \"" + policy + "\"}").ok();
      List<String> now = database.everything();
      for (String wrong : List.of("{}", "[]", "nonsense", statement(HEX, jobId, 1) + "x", "\ufeff" + statement(HEX, jobId, 1),
          statement(HEX, jobId, 1).replace("Statement/v1", "Statement/v0.1"))) {
        api.call("complete", jobId, "w", bare(wrong)).refused(400, "invalid_argument");
        assertThat(database.everything()).isEqualTo(now);
      }
    }
  }

  @EveryDatabase
  void the_url_safe_alphabet_and_a_bad_signature_beside_a_good_one_are_taken(TestDatabase database) {
    Api api = database.serve();
    signer.addedFor("local", database);
    for (Consumer<ObjectNode> change : List.<Consumer<ObjectNode>>of(
        json -> json.put("payload", json.get("payload").asText().replace('+', '-').replace('/', '_')),
        json -> sig(json, Base64.getUrlEncoder().encodeToString(sig(json))),
        json -> json.withArray("signatures").insertObject(0).put("sig", "AAAA").put("keyid", signer.key().id()))) {
      String jobId = api.aClaimedJob("w", "\"subject_digest\": \"sha256:" + HEX + "\"");
      api.patch("/v1/queues/q", "{\"attestation\": \"signed\"}").ok();

      api.call("complete", jobId, "w", "\"fencing_token\": 1", enveloped(changed(signer.signed(statement(HEX, jobId, 1)), change))).ok();
    }
  }

  private Row envelope(String answer, Consumer<ObjectNode> change) {
    return envelope(signer, answer, change);
  }

  private static Row envelope(Signer by, String answer, Consumer<ObjectNode> change) {
    return new Row(answer, job -> changed(by.signed(statement(HEX, job, 1)), change));
  }

  private static String changed(String envelope, Consumer<ObjectNode> change) {
    try {
      ObjectNode json = (ObjectNode) new ObjectMapper().readTree(envelope);
      change.accept(json);
      return json.toString();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static byte[] sig(ObjectNode json) {
    return Base64.getDecoder().decode(json.at("/signatures/0/sig").asText());
  }

  private static void sig(ObjectNode json, String sig) {
    ((ObjectNode) json.at("/signatures/0")).put("sig", sig);
  }

  private static String predicate(String jobId) {
    return "{\"job_id\":\"" + jobId + "\",\"fencing_token\":1}";
  }

  /** The payload with a space more, which changes nothing of what it says. */
  private static String withASpaceMore(String payload) {
    byte[] text = Base64.getDecoder().decode(payload);
    return Base64.getEncoder().encodeToString((" " + new String(text, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
  }
}

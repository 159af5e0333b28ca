package dev.agwp.spec;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.protobuf.Descriptors.Descriptor;
import dev.agwp.attestation.Sha256;
import dev.agwp.spec.audit.AuditVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Freezes the contract as a release: the document, its {@code .proto}, the wire fixtures and the audit vectors, with the sum of each. */
public final class CutRelease {
  static final String SUMS = "SHA256SUMS";

  private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private CutRelease() {}

  /** The one argument is the folder of the releases, {@code spec/released}. */
  public static void main(String[] args) throws IOException {
    Path folder = cut(Contract.load(), Path.of(args[0]));
    System.out.println("Wrote " + folder + ". Commit it alone: that commit is the release.");
  }

  /** @throws IllegalStateException when the version was released already */
  static Path cut(Contract contract, Path releases) throws IOException {
    Path folder = releases.resolve(contract.version());
    if (Files.exists(folder)) {
      throw new IllegalStateException(folder + " exists: a release is never written again; raise info.version in openapi.yaml");
    }
    Path wireFolder = Files.createDirectories(folder.resolve("wire"));
    Files.writeString(folder.resolve("openapi.yaml"), contract.yaml());
    Files.writeString(folder.resolve("agwp.proto"), ProtoWriter.write(contract));
    WireSchema wire = WireSchema.of(contract);
    Transcoder transcoder = new Transcoder(wire);
    Fixtures fixtures = new Fixtures(contract);
    for (Descriptor message : wire.file().getMessageTypes()) {
      String name = message.getName();
      for (var fixture : Map.of("minimal", fixtures.minimal(name), "full", fixtures.full(name)).entrySet()) {
        Files.writeString(wireFolder.resolve(name + "." + fixture.getKey() + ".json"), JSON.writeValueAsString(fixture.getValue()) + "\n");
        Files.write(wireFolder.resolve(name + "." + fixture.getKey() + ".pb"), transcoder.toProtobuf(name, fixture.getValue()));
      }
    }
    AuditVectors.write(folder.resolve(AuditVectors.FOLDER));
    Files.writeString(folder.resolve(SUMS), sums(folder));
    return folder;
  }

  /** A line for each file but the sums themselves, as {@code sha256sum} writes and checks them. */
  static String sums(Path folder) throws IOException {
    Map<String, String> sums = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> regular = files.filter(Files::isRegularFile).filter(file -> !file.getFileName().toString().equals(SUMS)).toList();
      for (Path file : regular) {
        sums.put(folder.relativize(file).toString().replace('\\', '/'), Sha256.hex(Files.readAllBytes(file)));
      }
    }
    StringBuilder lines = new StringBuilder();
    sums.forEach((file, sum) -> lines.append(sum).append("  ").append(file).append('\n'));
    return lines.toString();
  }
}

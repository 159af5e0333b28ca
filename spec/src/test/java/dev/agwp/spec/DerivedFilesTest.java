package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DerivedFilesTest {
  private final Contract contract = Contract.load();

  @TempDir
  private Path folder;

  @Test
  void protoc_reads_the_file_as_the_messages_the_server_speaks() throws IOException {
    FileDescriptorProto compiled = compile(ProtoWriter.write(contract));

    assertThat(compiled).isEqualTo(WireSchema.of(contract).file().toProto());
  }

  @Test
  void the_file_in_the_jar_is_the_one_of_this_contract() throws IOException {
    assertThat(Files.readString(Path.of("target/classes/dev/agwp/spec/agwp.proto"))).isEqualTo(ProtoWriter.write(contract));
  }

  @Test
  void what_a_server_reads_is_what_the_yaml_says() throws IOException {
    assertThat(contract.yaml()).isEqualTo(Files.readString(Path.of("openapi.yaml")));
    assertThat(contract.document()).isEqualTo(Contract.parse(contract.yaml()).document());
  }

  @Test
  void the_same_contract_gives_the_same_file() {
    assertThat(ProtoWriter.write(Contract.parse(contract.yaml()))).isEqualTo(ProtoWriter.write(contract));
  }

  @Test
  void a_property_without_a_number_is_refused() {
    Contract without = Contract.parse(contract.yaml().replaceFirst("          x-protobuf-index: 1\n", ""));

    assertThatThrownBy(() -> WireSchema.of(without)).hasMessageContaining("needs an x-protobuf-index");
  }

  @Test
  void a_number_used_twice_is_refused() {
    Contract twice = Contract.parse(contract.yaml().replaceFirst("x-protobuf-index: 2\n", "x-protobuf-index: 1\n"));

    assertThatThrownBy(() -> WireSchema.of(twice)).hasMessageContaining("the same number 1");
  }

  private FileDescriptorProto compile(String proto) throws IOException {
    Path source = folder.resolve("agwp.proto");
    Path set = folder.resolve("set.pb");
    Files.writeString(source, proto);
    Path protoc = Path.of("target/protoc.exe").toAbsolutePath();
    protoc.toFile().setExecutable(true);
    Files.createDirectories(folder.resolve("google/protobuf"));
    try (var timestamp = com.google.protobuf.Timestamp.class.getResourceAsStream("/google/protobuf/timestamp.proto")) {
      Files.write(folder.resolve("google/protobuf/timestamp.proto"), timestamp.readAllBytes());
    }
    Tool.Finished finished = Tool.run(folder,
        List.of(protoc.toString(), "--proto_path=.", "--descriptor_set_out=" + set, source.getFileName().toString()));
    assertThat(finished.output()).isEmpty();
    assertThat(finished.status()).isZero();
    return FileDescriptorSet.parseFrom(Files.readAllBytes(set)).getFile(0);
  }
}

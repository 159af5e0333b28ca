package dev.agwp.sdks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.agwp.sdk.testing.PrivateAuthority;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages as they were made, on a real server. */
@Execution(ExecutionMode.CONCURRENT)
final class SdkPackagesTest {
  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final String VERSION = System.getProperty("agwp.version");

  @TempDir
  private Path folder;

  static List<SdkFolder> sdks() {
    return SdkFolder.all(MODULE);
  }

  @Test
  void there_is_an_sdk_for_each_language_promised() {
    assertThat(sdks()).extracting(SdkFolder::language).contains("go", "kotlin", "python", "typescript");
  }

  @ParameterizedTest
  @MethodSource("sdks")
  void a_package_passes_its_own_tests_on_a_real_server(SdkFolder sdk) throws IOException {
    assumeTool(sdk);
    PrivateAuthority authority = PrivateAuthority.in(folder);
    Path ofTls = Files.createDirectory(folder.resolve("tls"));
    try (ServerProcess server = ServerProcess.start(folder);
        ServerProcess tlsServer = ServerProcess.startWith(ofTls,
            "--tls-cert", authority.certificate().toString(), "--tls-key", authority.key().toString())) {
      Toolchain.Finished tests = sdk.toolchain().run("test", Map.of("AGWP_SERVER", server.uri().toString(),
          "AGWP_TLS_SERVER", tlsServer.uri().toString(), "AGWP_TLS_CA", authority.ca().toString()));

      assertThat(tests.status()).as(tests.output()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("sdks")
  void a_package_bears_the_version_of_the_contract_and_its_proto(SdkFolder sdk) {
    assumeTool(sdk);
    assertThat(sdk.target().resolve(sdk.toolchain().properties().getProperty("proto"))).content().contains("package agwp.v1;");
    assertThat(MODULE.resolve("target/dist").resolve(sdk.toolchain().properties().getProperty("artifact").replace("@VERSION@", VERSION))).isRegularFile();
  }

  @ParameterizedTest
  @MethodSource("sdks")
  void nothing_generated_is_committed(SdkFolder sdk) throws IOException {
    try (Stream<Path> files = Files.walk(sdk.folder())) {
      List<Path> made = files.filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(sdk.folder().resolve("templates")))
          .filter(file -> read(file).contains("OpenAPI Generator (https")).toList();
      assertThat(made).isEmpty();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new java.io.UncheckedIOException(unreadable);
    }
  }

  private static void assumeTool(SdkFolder sdk) {
    assumeTrue(sdk.toolchain().isInstalled(), "skipped: " + sdk.toolchain().tool() + " is not on the PATH");
  }
}

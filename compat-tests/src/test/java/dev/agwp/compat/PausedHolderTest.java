package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.FileLease;
import dev.agwp.sdk.model.IntegrateRequest;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The story of ADR-0021 with real processes: a holder is stopped past its lease, another takes the paths, and the first wakes up. */
final class PausedHolderTest {
  private static final Path AG_LEASE = Path.of("../sdk-java/target/ag-lease.jar");
  private static final String DIGEST = "sha256:" + "ab".repeat(32);

  @TempDir
  private Path folder;
  private ServerProcess server;
  private AgwpClient client;
  private Process paused;

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    client = AgwpClient.builder(server.uri()).build();
  }

  @AfterEach
  void stop() {
    paused.destroyForcibly();
    client.close();
    server.close();
  }

  @Test
  void a_holder_that_was_paused_past_its_lease_cannot_integrate_when_it_wakes() throws IOException, InterruptedException {
    pausedHolder();
    // The same name: the token alone tells the two apart.
    try (FileLease lease = FileLease.builder(client, "r", "h", List.of("src/")).maxWait(Duration.ofSeconds(60)).acquire()) {
      long stale = Long.parseLong(Files.readString(folder.resolve("token")).strip());
      assertThat(lease.fencingToken()).isGreaterThan(stale);

      signal("CONT");
      AgwpException refused = catchThrowableOfType(AgwpException.class, () -> integrate(stale));

      assertThat(refused.reason()).isEqualTo("stale_fencing_token");
      assertThat(refused.fieldErrors().get(0).field()).isEqualTo("paths[0]");
      assertThat(integrate(lease.fencingToken())).isEqualTo(1);
    }
    assertThat(catchThrowableOfType(AgwpException.class, () -> integrate(1)).reason()).isEqualTo("not_holder");
    // It learns it too, and its command is stopped.
    assertThat(paused.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(paused.exitValue()).isEqualTo(76);
    assertThat(client.listIntegrations("r", null, null).getIntegrations()).hasSize(1);
  }

  private void pausedHolder() throws IOException, InterruptedException {
    paused = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-jar",
        AG_LEASE.toAbsolutePath().toString(), "--server", server.uri().toString(), "--repo", "r", "--path", "src/a.c", "--holder", "h",
        "--ttl", "6", "--", "sh", "-c", "echo $AGWP_FENCING_TOKENS > token.new; mv token.new token; sleep 1000")
        .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start();
    await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(folder.resolve("token")));
    signal("STOP");
  }

  /** The sequence of the integration. */
  private long integrate(long token) {
    return client.integrate(new IntegrateRequest().repo("r").holder("h").changeDigest(DIGEST).paths(List.of("src/a.c"))
        .fencingTokens(List.of(token))).getSequence();
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, String.valueOf(paused.pid())).start().waitFor();
  }
}

package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The story of ADR-0012 with real processes: a worker is stopped past its lease, its restart under the same label claims the job, and
 * the first wakes up.
 */
final class PausedWorkerTest {
  private static final Path WORKER = Path.of("../sdk-java/target/ag-worker.jar");

  @TempDir
  private Path folder;
  private ServerProcess server;
  private AgwpClient client;
  private final List<Process> workers = new ArrayList<>();

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    client = AgwpClient.builder(server.uri()).build();
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    for (Process worker : workers) {
      signal("CONT", worker);
      // SIGTERM, so that their commands die with them.
      worker.destroy();
    }
    for (Process worker : workers) {
      worker.onExit().completeOnTimeout(worker, 20, java.util.concurrent.TimeUnit.SECONDS).join();
      worker.destroyForcibly();
    }
    client.close();
    server.close();
  }

  @Test
  void a_worker_that_was_paused_past_its_lease_can_do_no_harm() throws IOException, InterruptedException {
    String jobId = pausedAndClaimedAgain(WORKER);

    signal("CONT", workers.get(0));
    finish("first");

    await().atMost(Duration.ofSeconds(30)).until(() -> output("first").contains("lost"));
    Job job = client.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.CLAIMED);
    assertThat(job.getAttempts()).isEqualTo(2);
    assertThat(output("first")).doesNotContain("passed");

    finish("second");
    Job ended = await().atMost(Duration.ofSeconds(30)).until(() -> client.getJob(jobId), now -> JobState.SUCCEEDED.equals(now.getState()));
    assertThat(ended.getSummary()).isEqualTo("by second");
  }

  /** The hole that release 1.1.0 closes, shown so that nobody believes it was never there. */
  @Test
  void a_worker_of_release_1_0_0_that_was_paused_does_the_harm() throws IOException, InterruptedException {
    String jobId = pausedAndClaimedAgain(Release.of("1.0.0").workerJar());

    signal("CONT", workers.get(0));
    finish("first");

    Job ended = await().atMost(Duration.ofSeconds(30)).until(() -> client.getJob(jobId), now -> JobState.SUCCEEDED.equals(now.getState()));
    // The restart holds the job, and the stale life of its name has ended it with a verdict of its own.
    assertThat(ended.getAttempts()).isEqualTo(2);
    assertThat(ended.getSummary()).isEqualTo("by first");
    await().atMost(Duration.ofSeconds(30)).until(() -> output("second").contains("lost"));
  }

  private String pausedAndClaimedAgain(Path workerJar) throws IOException, InterruptedException {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
    start(workerJar, "first");
    await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(folder.resolve("first.began")));
    // Right after a heartbeat: one that is cut in its middle would wake up timed out, and the worker would know.
    OffsetDateTime lease = client.getJob(jobId).getLeaseExpiresAt();
    await().pollInterval(Duration.ofMillis(20)).until(() -> !lease.equals(client.getJob(jobId).getLeaseExpiresAt()));
    signal("STOP", workers.get(0));
    start(workerJar, "second");
    await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(folder.resolve("second.began")));
    assertThat(client.getJob(jobId).getAttempts()).isEqualTo(2);
    return jobId;
  }

  /** A worker, always under the same label, whose command waits until the test lets it finish. */
  private void start(Path workerJar, String name) throws IOException {
    String command = "touch NAME.began; while [ ! -e NAME.finish ]; do sleep 0.1; done; echo by NAME".replace("NAME", name);
    workers.add(new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-jar",
        workerJar.toAbsolutePath().toString(), "--server", server.uri().toString(), "--queue", "q", "--label", "w1", "--lease", "3",
        "--once", "--", "sh", "-c", command)
        .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve(name + ".out").toFile()).start());
  }

  private void finish(String name) throws IOException {
    Files.createFile(folder.resolve(name + ".finish"));
  }

  private String output(String name) throws IOException {
    return Files.readString(folder.resolve(name + ".out"));
  }

  private static void signal(String name, Process process) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
  }
}

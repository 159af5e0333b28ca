package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two replicas on one PostgreSQL are upgraded and rolled back, one after the other, while producers and workers of both ages go on. A
 * replica is killed and not asked to end, and every worker has a job in its hands when that happens.
 */
@Execution(ExecutionMode.CONCURRENT)
final class UpgradeAndRollBackTest {
  private static final Path TODAY = Path.of("../server/target/agwp-server.jar");
  private static final Path WORKER_OF_TODAY = Path.of("../sdk-java/target/ag-worker.jar");
  private static final Duration WITHIN = Duration.ofSeconds(60);
  /** More than there are workers, so that some are claimed after the switch. */
  private static final int JOBS_A_SWITCH = 6;

  @TempDir
  private Path folder;
  private final List<ServerProcess> replicas = new ArrayList<>();
  private final List<Process> workers = new ArrayList<>();
  private final List<String> jobs = new ArrayList<>();
  private EmbeddedPostgres postgresql;
  private Driver oldProducer;
  private Driver newProducer;

  @AfterEach
  void stop() throws IOException {
    workers.forEach(Process::destroy);
    workers.forEach(worker -> worker.onExit().completeOnTimeout(worker, 20, TimeUnit.SECONDS).join().destroyForcibly());
    replicas.forEach(ServerProcess::close);
    for (AutoCloseable producer : new AutoCloseable[] {oldProducer, newProducer}) {
      if (producer != null) {
        ((Driver) producer).close();
      }
    }
    if (postgresql != null) {
      postgresql.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0.0", "1.1.0"})
  void nothing_is_lost_or_done_twice_through_an_upgrade_and_a_roll_back(String version) throws IOException {
    Release release = Release.of(version);
    postgresql = EmbeddedPostgres.start();
    for (int i = 0; i < 2; i++) {
      replicas.add(ServerProcess.start(release.serverJar(), databaseUrl()));
    }
    oldProducer = Driver.ofSdk("java", version).orElseThrow();
    newProducer = Driver.of("java");
    for (int i = 0; i < 2; i++) {
      startWorker(release.workerJar(), "old" + i, replicas.get(i).uri());
      startWorker(WORKER_OF_TODAY, "new" + i, replicas.get(i).uri());
    }

    switchInTheMiddleOfWork(0, TODAY);
    switchInTheMiddleOfWork(1, TODAY);
    switchInTheMiddleOfWork(0, release.serverJar());
    switchInTheMiddleOfWork(1, release.serverJar());

    try (AgwpClient client = AgwpClient.builder(replicas.get(0).uri()).build()) {
      for (String jobId : jobs) {
        Job job = client.getJob(jobId);
        assertThat(job.getState()).as(jobId).isEqualTo(JobState.SUCCEEDED);
        assertThat(job.getAttempts()).as(jobId).isEqualTo(1);
      }
    }
    assertThat(ran()).containsExactlyInAnyOrderElementsOf(jobs);
  }

  private void switchInTheMiddleOfWork(int replica, Path jar) throws IOException {
    String gate = "switch" + jobs.size();
    for (int i = 0; i < JOBS_A_SWITCH; i++) {
      enqueue(i % 2 == 0 ? oldProducer : newProducer, replicas.get(i / 2 % 2).uri(), gate);
    }
    int before = jobs.size() - JOBS_A_SWITCH;
    await("every worker has a job").atMost(WITHIN).until(() -> ran().size() == before + workers.size());

    URI address = replicas.get(replica).uri();
    replicas.get(replica).close();
    // Half of the reports and the next claims meet a server that is not there yet.
    Files.createFile(folder.resolve(gate));
    replicas.set(replica, ServerProcess.start(jar, databaseUrl(), "--port", String.valueOf(address.getPort())));

    await("the work of this switch is done").atMost(WITHIN).until(() -> ran().size() == jobs.size());
    try (AgwpClient client = AgwpClient.builder(address).build()) {
      for (String jobId : jobs) {
        await("end of " + jobId).atMost(WITHIN).until(() -> JobState.SUCCEEDED.equals(client.getJob(jobId).getState()));
      }
    }
  }

  private void enqueue(Driver producer, URI server, String gate) {
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("queue", "q");
    request.putObject("payload").put("gate", gate);
    ObjectNode call = Driver.order("call").put("server", server.toString()).put("operation", "enqueueJob");
    call.set("request", request);
    JsonNode answer = producer.ask(call);
    jobs.add(answer.at("/body/job_id").asText());
  }

  /** The jobs whose command was started, once for each time. */
  private List<String> ran() throws IOException {
    Path log = folder.resolve("ran");
    return Files.exists(log) ? Files.readAllLines(log) : List.of();
  }

  private String databaseUrl() {
    return postgresql.getJdbcUrl("postgres", "postgres");
  }

  private void startWorker(Path jar, String label, URI server) throws IOException {
    workers.add(new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-jar", jar.toAbsolutePath().toString(), "--server", server.toString(), "--queue", "q", "--label", label,
        "--", "sh", "-c", "echo $AGWP_JOB_ID >> ran; while [ ! -e $AGWP_PAYLOAD_GATE ]; do sleep 0.05; done")
        .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve(label + ".out").toFile()).start());
  }
}

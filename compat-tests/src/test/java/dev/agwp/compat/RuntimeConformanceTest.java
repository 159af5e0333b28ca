package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every worker runtime promises, whatever its language: the same scenarios for all, through real processes and a real server. */
@ParameterizedClass
@MethodSource("languages")
@Execution(ExecutionMode.CONCURRENT)
final class RuntimeConformanceTest {
  private static final String LABEL = "w1";
  private static final AtomicInteger QUEUES = new AtomicInteger();
  private static ServerProcess server;
  private static AgwpClient client;

  private final String language;
  private final String queue = "q" + QUEUES.getAndIncrement();
  private FaultProxy proxy;
  private Driver driver;

  RuntimeConformanceTest(String language) {
    this.language = language;
  }

  static List<String> languages() {
    return Driver.languages();
  }

  @BeforeAll
  static void serve(@TempDir Path folder) {
    server = ServerProcess.start(folder);
    client = AgwpClient.builder(server.uri()).build();
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @BeforeEach
  void drive() {
    proxy = new FaultProxy(server.uri());
    driver = Driver.of(language);
  }

  @AfterEach
  void end() {
    driver.close();
    proxy.close();
  }

  @Test
  void every_call_carries_the_token_of_its_claim() {
    String jobId = enqueue();
    start(3);
    assertThat(claimed(jobId, 1).get("fencing_token").asLong()).isEqualTo(1);
    progress(jobId, 40, "half way");
    await().until(() -> Integer.valueOf(40).equals(client.getJob(jobId).getProgress()));
    finish(jobId, "retry");
    claimed(jobId, 2);
    finish(jobId, "passed");
    driver.await("reported", event -> event.get("outcome").asText().equals("passed"));

    assertThat(bodies(jobId, "/heartbeat")).isNotEmpty().allMatch(body -> body.contains("\"fencing_token\""));
    assertThat(bodies(jobId, "/fail")).hasSize(1).allMatch(body -> body.matches(".*\"fencing_token\": ?1\\b.*"));
    assertThat(bodies(jobId, "/complete")).hasSize(1).allMatch(body -> body.matches(".*\"fencing_token\": ?2\\b.*"));
    assertThat(client.getQueue(queue).getUnfencedCalls()).isNullOrEmpty();
  }

  @Test
  void a_completion_whose_answer_was_lost_is_taken_once() {
    faults("/complete", Fault.DROP_ANSWER);
    String jobId = enqueue();
    start(60);
    claimed(jobId, 1);

    driver.send(Driver.order("finish").put("job_id", jobId).put("outcome", "passed").put("summary", "once").put("attestation", "evidence"));

    driver.await("reported");
    Job job = client.getJob(jobId);
    assertThat(job.getSummary()).isEqualTo("once");
    assertThat(client.getAttestation(jobId)).isEqualTo("evidence".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(driver.told("lost")).isFalse();
  }

  @Test
  void a_fail_whose_answer_was_lost_is_not_repeated() {
    faults("/fail", Fault.DROP_ANSWER);
    String jobId = enqueue();
    start(60);
    claimed(jobId, 1);

    driver.send(Driver.order("finish").put("job_id", jobId).put("outcome", "retry").put("retry_delay_seconds", 3600));

    driver.await("reported");
    assertThat(client.getJob(jobId).getState()).isEqualTo(JobState.QUEUED);
    assertThat(proxy.count("/fail")).isEqualTo(1);
  }

  @Test
  void a_claim_whose_answer_was_lost_strands_no_job() {
    faults("/claim", Fault.DROP_ANSWER);
    String jobId = enqueue();
    start(60);

    claimed(jobId, 1);
    finish(jobId, "failed");

    driver.await("reported", event -> event.get("outcome").asText().equals("failed"));
    assertThat(client.getJob(jobId).getOutcome()).isEqualTo("failed");
  }

  @Test
  void a_heartbeat_without_an_answer_is_unknown_and_not_a_loss() {
    String jobId = enqueue();
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/heartbeat") && dropped.getAndIncrement() < 2 ? Fault.DROP_REQUEST : Fault.PASS);
    start(6);
    claimed(jobId, 1);
    await().atMost(Duration.ofSeconds(20)).until(() -> proxy.count("/heartbeat") >= 3);

    finish(jobId, "passed");

    driver.await("reported");
    assertThat(driver.told("lost")).isFalse();
  }

  @Test
  void a_heartbeat_that_races_its_own_completion_is_no_loss() {
    CountDownLatch completed = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    proxy.faults(request -> {
      if (request.line().contains("/heartbeat")) {
        held.countDown();
        awaitLatch(completed);
      }
      return Fault.PASS;
    });
    String jobId = enqueue();
    start(3);
    claimed(jobId, 1);
    awaitLatch(held);
    finish(jobId, "passed");
    driver.await("reported");
    completed.countDown();

    String next = enqueue();
    claimed(next, 1);
    finish(next, "passed");
    driver.await("reported", event -> event.get("job_id").asText().equals(next));
    assertThat(driver.told("lost")).isFalse();
  }

  @Test
  void a_worker_that_was_paused_past_its_lease_can_do_no_harm() {
    String jobId = enqueue();
    start(2);
    claimed(jobId, 1);
    driver.signal("STOP");
    List<Job> restart = client.claimJob(new ClaimJobRequest().queues(List.of(queue)).worker(LABEL).waitSeconds(20).leaseSeconds(600));
    assertThat(restart).singleElement().satisfies(job -> assertThat(job.getAttempts()).isEqualTo(2));

    driver.signal("CONT");
    finish(jobId, "passed");

    driver.await("lost");
    Job job = client.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.CLAIMED);
    assertThat(job.getAttempts()).isEqualTo(2);
    assertThat(driver.told("reported")).isFalse();
  }

  @Test
  void a_cancelled_job_stops_its_handler_and_nothing_is_reported() {
    String jobId = enqueue();
    start(3);
    claimed(jobId, 1);

    client.cancelJob(jobId);

    driver.await("stopped");
    driver.await("lost");
    assertThat(client.getJob(jobId).getState()).isEqualTo(JobState.CANCELLED);
    assertThat(proxy.count("/complete") + proxy.count("/fail") + proxy.count("/release")).isZero();
  }

  @Test
  void a_draining_worker_hands_its_claims_back() {
    String jobId = enqueue();
    start(60);
    claimed(jobId, 1);

    driver.send(Driver.order("close"));

    driver.await("released");
    driver.await("closed");
    Job job = client.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.QUEUED);
    assertThat(job.getAttempts()).isEqualTo(1);
  }

  @Test
  void a_handler_that_fails_ends_in_fail() {
    String jobId = enqueue();
    start(60);
    claimed(jobId, 1);

    finish(jobId, "throw");

    await().until(() -> client.getJob(jobId).getLastError() != null);
    assertThat(client.getJob(jobId).getLastError().getReason()).isEqualTo("handler_failed");
  }

  @Test
  void a_worker_survives_answers_of_tomorrow() {
    try (TomorrowServer tomorrow = new TomorrowServer(server.uri())) {
      String jobId = enqueue();

      driver.send(startAt(tomorrow.uri(), 60));

      claimed(jobId, 1);
      finish(jobId, "passed");
      driver.await("reported");
      assertThat(client.getJob(jobId).getOutcome()).isEqualTo("passed");
    }
  }

  private String enqueue() {
    return client.enqueueJob(new EnqueueJobRequest().queue(queue)).getJobId();
  }

  private ObjectNode startAt(URI at, int leaseSeconds) {
    return Driver.start(at, LABEL, queue, leaseSeconds);
  }

  private void start(int leaseSeconds) {
    driver.send(startAt(proxy.uri(), leaseSeconds));
    driver.await("started");
  }

  private JsonNode claimed(String jobId, int attempts) {
    return driver.await("claimed",
        event -> event.get("job_id").asText().equals(jobId) && event.get("attempts").asInt() == attempts);
  }

  private void progress(String jobId, int percent, String message) {
    driver.send(Driver.order("progress").put("job_id", jobId).put("percent", percent).put("message", message));
  }

  private void finish(String jobId, String outcome) {
    driver.send(Driver.order("finish").put("job_id", jobId).put("outcome", outcome).put("retry_delay_seconds", 0));
  }

  private void faults(String linePart, Fault first) {
    AtomicInteger seen = new AtomicInteger();
    proxy.faults(request -> request.line().contains(linePart) && seen.getAndIncrement() == 0 ? first : Fault.PASS);
  }

  private List<String> bodies(String jobId, String operation) {
    return proxy.seen().stream().filter(request -> request.line().contains(jobId + operation)).map(FaultProxy.Seen::body).toList();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}

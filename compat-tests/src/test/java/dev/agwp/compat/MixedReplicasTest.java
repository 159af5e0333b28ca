package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.LostClaimException;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.UnfencedServerException;
import dev.agwp.sdk.Worker;
import dev.agwp.sdk.model.AcquireLeaseRequest;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.HeartbeatJobRequest;
import dev.agwp.sdk.model.IntegrateRequest;
import dev.agwp.sdk.model.Integration;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobOutcome;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.Queue;
import dev.agwp.sdk.model.UpdateQueueRequest;
import dev.agwp.sdk.model.Validation;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server of an older release and one of today on one PostgreSQL, with today's schema, in the middle of an upgrade; at last the old one
 * goes on alone.
 */
@ParameterizedClass
@ValueSource(strings = {"1.0.0", "1.1.0"})
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MixedReplicasTest {
  private static final Path TODAY = Path.of("../server/target/agwp-server.jar");

  private static EmbeddedPostgres postgresql;
  private static ServerProcess oldServer;
  private static ServerProcess newServer;
  private static AgwpClient old;
  private static AgwpClient today;

  private final String version;

  MixedReplicasTest(String version) {
    this.version = version;
  }

  @BeforeParameterizedClassInvocation
  static void serve(String version) throws IOException {
    Release release = Release.of(version);
    postgresql = EmbeddedPostgres.start();
    String url = postgresql.getJdbcUrl("postgres", "postgres");
    // The new one first, so that the old one starts on a schema it does not know.
    newServer = ServerProcess.start(TODAY, url);
    oldServer = ServerProcess.start(release.serverJar(), url);
    old = AgwpClient.builder(oldServer.uri()).build();
    today = AgwpClient.builder(newServer.uri()).build();
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (postgresql != null) {
      oldServer.close();
      newServer.close();
      postgresql.close();
      postgresql = null;
    }
  }

  @Test
  @Order(1)
  void a_job_goes_from_replica_to_replica_whatever_their_age() {
    Job job = enqueue(old);
    assertThat(claim(today, "w").getJobId()).isEqualTo(job.getJobId());
    old.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").fencingToken(1L));
    today.failJob(job.getJobId(), new FailJobRequest().worker("w").fencingToken(1L).retryDelaySeconds(0));
    assertThat(claim(old, "w").getAttempts()).isEqualTo(2);

    assertThat(today.completeJob(job.getJobId(), completion("w", JobOutcome.PASSED).fencingToken(2L)).getState())
        .isEqualTo(JobState.SUCCEEDED);
    assertThat(old.getJob(job.getJobId()).getOutcome()).isEqualTo("passed");
  }

  @Test
  @Order(2)
  void a_stale_token_is_refused_from_1_1_0_on_and_applied_by_1_0_0() {
    Job job = enqueue(today);
    claim(today, "w");
    today.failJob(job.getJobId(), new FailJobRequest().worker("w").fencingToken(1L).retryDelaySeconds(0));
    claim(today, "w");
    HeartbeatJobRequest stale = new HeartbeatJobRequest().worker("w").fencingToken(1L);

    assertThatThrownBy(() -> today.heartbeatJob(job.getJobId(), stale)).isInstanceOf(LostClaimException.class);
    if (version.equals("1.0.0")) {
      // The documented hole of 1.0.0: it does not know the field.
      old.heartbeatJob(job.getJobId(), stale);
    } else {
      assertThatThrownBy(() -> old.heartbeatJob(job.getJobId(), stale)).isInstanceOf(LostClaimException.class);
    }
    today.completeJob(job.getJobId(), completion("w", JobOutcome.PASSED).fencingToken(2L));
  }

  @Test
  @Order(3)
  void a_worker_that_requires_fencing_refuses_an_older_server_and_strands_no_job() {
    Job job = enqueue(old);
    AtomicInteger handled = new AtomicInteger();

    try (Worker worker = Worker.builder(old, "strict", List.of("q")).requireFencing().handler(claimed -> {
      handled.incrementAndGet();
      return Outcome.passed(null);
    })) {
      assertThatThrownBy(worker::run).isInstanceOf(UnfencedServerException.class).hasMessageContaining("Upgrade the server");
    }

    assertThat(handled).hasValue(0);
    Job handedBack = today.getJob(job.getJobId());
    assertThat(handedBack.getState()).isEqualTo(JobState.QUEUED);
    try (Worker worker = Worker.builder(today, "strict", List.of("q")).requireFencing().handler(claimed -> Outcome.passed("fenced"))) {
      assertThat(worker.runOne().verdictWord()).isEqualTo("passed");
    }
    assertThat(old.getJob(job.getJobId()).getSummary()).isEqualTo("fenced");
  }

  @Test
  @Order(4)
  void what_is_required_of_a_queue_an_older_server_does_not_notice() {
    Job job = enqueue(old);
    claim(today, "w");
    Queue required = today.updateQueue("q", new UpdateQueueRequest().requireFencing(true));
    assertThat(required.getRequireFencing()).isTrue();
    HeartbeatJobRequest unfenced = new HeartbeatJobRequest().worker("w");

    AgwpException refused = catchThrowableOfType(AgwpException.class, () -> today.heartbeatJob(job.getJobId(), unfenced));
    assertThat(refused.reason()).isEqualTo("fencing_token_required");
    // Hence: servers first, then workers, then require it.
    old.heartbeatJob(job.getJobId(), unfenced);

    assertThat(old.updateQueue("q", new UpdateQueueRequest().paused(false)).getPaused()).isFalse();
    assertThat(today.getQueue("q").getRequireFencing()).as("kept by a change made through the old server").isTrue();
    today.completeJob(job.getJobId(), completion("w", JobOutcome.PASSED).fencingToken(1L));
    today.updateQueue("q", new UpdateQueueRequest().requireFencing(false));
  }

  @Test
  @Order(5)
  void a_job_that_an_older_server_ends_moves_the_integration_that_it_validates() {
    Lease lease = today.acquireLease(new AcquireLeaseRequest().repo("r").holder("h").paths(List.of("a")));
    Integration integration = today.integrate(new IntegrateRequest().repo("r").holder("h").paths(List.of("a"))
        .changeDigest("sha256:" + "ab".repeat(32)).fencingTokens(List.of(lease.getFencingToken()))
        .validation(new Validation().queue("validate")));
    assertThat(integration.getState()).isEqualTo("validating");
    old.claimJob(new ClaimJobRequest().queues(List.of("validate")).worker("w"));

    old.completeJob(integration.getJobId(), completion("w", JobOutcome.PASSED));

    assertThat(today.getIntegration(integration.getIntegrationId()).getState()).isEqualTo("validated");
  }

  @Test
  @Order(6)
  void the_old_server_goes_on_with_what_the_new_one_wrote() {
    Job queued = enqueue(today);
    Job claimed = claim(today, "w");
    assertThat(claimed.getJobId()).isEqualTo(queued.getJobId());
    today.heartbeatJob(claimed.getJobId(), new HeartbeatJobRequest().worker("w"));
    Job waiting = enqueue(today);
    today.updateQueue("q", new UpdateQueueRequest().requireFencing(true));

    newServer.close();

    assertThat(old.heartbeatJob(claimed.getJobId(), new HeartbeatJobRequest().worker("w").progress(50)).getProgress()).isEqualTo(50);
    assertThat(old.completeJob(claimed.getJobId(), completion("w", JobOutcome.FAILED)).getState()).isEqualTo(JobState.SUCCEEDED);
    assertThat(claim(old, "w").getJobId()).isEqualTo(waiting.getJobId());
    old.completeJob(waiting.getJobId(), completion("w", JobOutcome.PASSED));
    assertThat(old.getQueue("q").getDepth().getSucceeded()).isEqualTo(6);
  }

  @Test
  @Order(7)
  void a_worker_of_today_loses_nothing_on_a_server_that_knows_neither_many_heartbeats_nor_claim_next() {
    List<String> jobs = IntStream.range(0, 4)
        .mapToObj(i -> old.enqueueJob(new EnqueueJobRequest().queue("worker")).getJobId()).toList();
    CountDownLatch finish = new CountDownLatch(1);

    try (FaultProxy proxy = new FaultProxy(oldServer.uri()); AgwpClient client = AgwpClient.builder(proxy.uri()).build();
        Worker worker = Worker.builder(client, "today", List.of("worker")).leaseSeconds(3).concurrency(3).handler(job -> {
          finish.await();
          return Outcome.passed(null);
        })) {
      Thread running = new Thread(worker::run);
      running.start();
      // More heartbeats than two leases have.
      await().atMost(Duration.ofSeconds(30)).until(() -> jobs.stream().filter(jobId -> proxy.count(jobId + "/heartbeat ") >= 6).count() == 3);
      finish.countDown();

      jobs.forEach(jobId -> assertThat(await().atMost(Duration.ofSeconds(20))
          .until(() -> old.getJob(jobId), job -> job.getState().equals(JobState.SUCCEEDED)).getAttempts()).isEqualTo(1));
      assertThat(proxy.count("/v1/jobs/heartbeat ")).isEqualTo(1);
      assertThat(proxy.seen()).filteredOn(request -> request.line().contains("/complete "))
          .hasSize(4).allMatch(request -> request.body().contains("claim_next"));
    }
  }

  private static CompleteJobRequest completion(String worker, JobOutcome outcome) {
    return new CompleteJobRequest().worker(worker).outcome(outcome);
  }

  private static Job enqueue(AgwpClient client) {
    return client.enqueueJob(new EnqueueJobRequest().queue("q"));
  }

  private static Job claim(AgwpClient client, String worker) {
    List<Job> jobs = client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker(worker).waitSeconds(10));
    assertThat(jobs).hasSize(1);
    return jobs.get(0);
  }
}

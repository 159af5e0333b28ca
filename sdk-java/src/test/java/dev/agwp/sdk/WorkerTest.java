package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class WorkerTest {
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  @TempDir
  private Path folder;
  private ServerProcess server;
  private FaultProxy proxy;
  private AgwpClient producer;
  private AgwpClient client;
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final List<Worker> workers = new CopyOnWriteArrayList<>();

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    proxy = new FaultProxy(server.uri());
    producer = AgwpClient.builder(server.uri()).build();
    client = AgwpClient.builder(proxy.uri()).requestTimeout(Duration.ofSeconds(5)).build();
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
    client.close();
    producer.close();
    proxy.close();
    server.close();
  }

  @Test
  void a_worker_claims_works_and_reports() {
    String jobId = enqueue();

    run(worker(60, job -> Outcome.passed("attempt " + job.attempts() + " of " + job.id())));

    Job job = awaitState(jobId, JobState.SUCCEEDED);
    assertThat(job.getSummary()).isEqualTo("attempt 1 of " + jobId);
    assertThat(job.getClaimedBy()).isEqualTo("local|w1");
    await().until(() -> heard.equals(List.of("claimed", "reported passed")));
  }

  @Test
  void a_handler_that_outlasts_its_lease_keeps_its_claim_by_heartbeats() {
    CountDownLatch finish = new CountDownLatch(1);
    String jobId = enqueue();
    run(worker(3, job -> {
      job.progress(40, "half way");
      finish.await();
      return Outcome.passed(null);
    }));

    // More heartbeats than one lease has: it would have run out without them.
    await().until(() -> proxy.count("/heartbeat") >= 5);
    assertThat(producer.getJob(jobId).getStatusMessage()).isEqualTo("half way");
    finish.countDown();

    assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1);
  }

  @Test
  void a_lost_claim_stops_the_handler_and_reports_nothing() {
    AtomicBoolean interrupted = new AtomicBoolean();
    AtomicBoolean toldLost = new AtomicBoolean();
    String jobId = enqueue();
    run(worker(1, job -> {
      try {
        NEVER.await();
      } catch (InterruptedException stopped) {
        interrupted.set(true);
        toldLost.set(job.isLost());
      }
      return Outcome.passed("too late");
    }));
    awaitState(jobId, JobState.CLAIMED);

    producer.cancelJob(jobId);

    await().until(() -> heard.contains("lost"));
    assertThat(interrupted).isTrue();
    assertThat(toldLost).isTrue();
    assertThat(proxy.count("/complete") + proxy.count("/fail") + proxy.count("/release")).isZero();
    assertThat(producer.getJob(jobId).getState()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void a_network_failure_is_unknown_not_lost() {
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger dropped = new AtomicInteger();
    String jobId = enqueue();
    proxy.faults(request -> request.line().contains("/heartbeat") && dropped.incrementAndGet() <= 2 ? Fault.DROP_REQUEST : Fault.PASS);
    run(worker(6, job -> {
      finish.await();
      return Outcome.passed(null);
    }));

    await().atMost(Duration.ofSeconds(20)).until(() -> dropped.get() >= 3);
    finish.countDown();

    assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1);
    assertThat(heard).doesNotContain("lost");
  }

  @Test
  void a_claim_whose_lease_ran_out_unheard_is_given_up() {
    AtomicBoolean interrupted = new AtomicBoolean();
    String jobId = enqueue();
    proxy.faults(request -> request.line().contains("/heartbeat") ? Fault.DROP_REQUEST : Fault.PASS);
    run(worker(2, job -> {
      try {
        NEVER.await();
      } catch (InterruptedException stopped) {
        interrupted.set(true);
      }
      return Outcome.passed("too late");
    }));

    await().atMost(Duration.ofSeconds(20)).until(() -> heard.contains("lost"));
    assertThat(interrupted).isTrue();
    assertThat(proxy.count("/complete")).isZero();
    assertThat(producer.getJob(jobId).getState()).isNotEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void a_handler_that_throws_ends_in_fail() {
    String exception = enqueue();
    run(worker(60, job -> {
      throw new java.io.IOException("disk full");
    }));
    Job failed = await().until(() -> producer.getJob(exception), job -> job.getLastError() != null);
    assertThat(failed.getLastError().getReason()).isEqualTo("handler_failed");
    assertThat(failed.getLastError().getMessage()).contains("disk full");
    assertThat(failed.getState()).isIn(JobState.QUEUED, JobState.CLAIMED);
    stop();
    serve();

    String error = enqueue();
    run(worker(60, job -> {
      throw new AssertionError("bug");
    }));
    assertThat(await().until(() -> producer.getJob(error), job -> job.getLastError() != null).getLastError().getMessage())
        .contains("bug");
  }

  @Test
  void an_outcome_the_server_refuses_ends_in_fail() {
    String jobId = enqueue();

    run(worker(60, job -> Outcome.passed("x".repeat(5000))));

    Job job = await().until(() -> producer.getJob(jobId), failed -> failed.getLastError() != null);
    assertThat(job.getLastError().getReason()).isEqualTo("outcome_refused");
    assertThat(job.getLastError().getMessage()).contains("summary");
  }

  @Test
  void a_draining_worker_hands_its_claims_back() {
    String jobId = enqueue();
    Worker worker = worker(60, job -> {
      NEVER.await();
      return Outcome.passed("never");
    });
    run(worker);
    awaitState(jobId, JobState.CLAIMED);
    await().until(() -> heard.contains("claimed"));

    worker.close();

    Job job = producer.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.QUEUED);
    assertThat(job.getAttempts()).isEqualTo(1);
    assertThat(job.getLastError()).isNull();
    assertThat(heard).contains("released");
  }

  @Test
  void a_draining_worker_lets_a_handler_finish_within_the_grace() throws InterruptedException {
    String jobId = enqueue();
    CountDownLatch finish = new CountDownLatch(1);
    Worker worker = builder(60).grace(Duration.ofSeconds(20)).handler(job -> {
      finish.await();
      return Outcome.passed("in time");
    });
    run(worker);
    await().until(() -> heard.contains("claimed"));
    Thread closing = new Thread(worker::close);
    closing.start();
    finish.countDown();
    closing.join();

    assertThat(producer.getJob(jobId).getSummary()).isEqualTo("in time");
  }

  @Test
  void a_heartbeat_that_races_its_own_completion_is_no_error() {
    AtomicBoolean hold = new AtomicBoolean();
    CountDownLatch beatHeld = new CountDownLatch(1);
    CountDownLatch completed = new CountDownLatch(1);
    proxy.faults(request -> {
      if (request.line().contains("/heartbeat") && hold.compareAndSet(false, true)) {
        beatHeld.countDown();
        awaitLatch(completed);
      }
      return Fault.PASS;
    });
    String jobId = enqueue();
    run(worker(3, job -> {
      beatHeld.await();
      return Outcome.passed(null);
    }));

    awaitState(jobId, JobState.SUCCEEDED);
    completed.countDown();

    await().until(() -> heard.contains("reported passed"));
    String next = enqueue();
    awaitState(next, JobState.SUCCEEDED);
    assertThat(heard).doesNotContain("lost");
  }

  @Test
  void every_call_of_a_worker_carries_the_token_of_its_claim() {
    String completed = enqueue();
    run(worker(3, job -> {
      assertThat(job.fencingToken()).isEqualTo(job.attempts());
      if (job.id().equals(completed)) {
        await().until(() -> proxy.count("/heartbeat") > 0);
        return Outcome.passed(null);
      }
      if (job.attempts() == 1) {
        return Outcome.retry("again", null, Duration.ZERO);
      }
      NEVER.await();
      return Outcome.passed("never");
    }));
    awaitState(completed, JobState.SUCCEEDED);
    String failedAndReleased = enqueue();
    await().until(() -> producer.getJob(failedAndReleased), job -> job.getAttempts() == 2);

    workers.forEach(Worker::close);

    assertThat(bodies(completed, "/heartbeat")).isNotEmpty().allMatch(body -> body.contains("\"fencing_token\":1"));
    assertThat(bodies(completed, "/complete")).hasSize(1).allMatch(body -> body.contains("\"fencing_token\":1"));
    assertThat(bodies(failedAndReleased, "/fail")).hasSize(1).allMatch(body -> body.contains("\"fencing_token\":1"));
    assertThat(bodies(failedAndReleased, "/release")).hasSize(1).allMatch(body -> body.contains("\"fencing_token\":2"));
  }

  private List<String> bodies(String jobId, String operation) {
    return proxy.seen().stream().filter(request -> request.line().contains(jobId + operation)).map(FaultProxy.Seen::body).toList();
  }

  @Test
  void a_completion_whose_answer_was_lost_is_repeated_with_its_token_and_taken_once() {
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/complete") && dropped.getAndIncrement() == 0 ? Fault.DROP_ANSWER : Fault.PASS);
    String jobId = enqueue();

    run(worker(60, job -> Outcome.passed("once").withAttestation("text/plain", new byte[] {1})));

    awaitState(jobId, JobState.SUCCEEDED);
    await().until(() -> heard.contains("reported passed"));
    assertThat(proxy.count("/complete")).isEqualTo(2);
    assertThat(heard).doesNotContain("lost");
  }

  @Test
  void a_fail_whose_answer_was_lost_is_known_to_have_been_taken() {
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/fail") && dropped.getAndIncrement() == 0 ? Fault.DROP_ANSWER : Fault.PASS);
    String jobId = enqueue();

    run(worker(60, job -> Outcome.retry("again", null, Duration.ofHours(1))));

    await().until(() -> heard.contains("reported none"));
    assertThat(proxy.count("/fail")).isEqualTo(1);
    assertThat(producer.getJob(jobId).getAttempts()).isEqualTo(1);
  }

  @Test
  void a_completion_that_never_arrived_is_sent_again() {
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/complete") && dropped.getAndIncrement() == 0 ? Fault.DROP_REQUEST : Fault.PASS);
    String jobId = enqueue();

    run(worker(60, job -> Outcome.failed("found something")));

    assertThat(awaitState(jobId, JobState.SUCCEEDED).getOutcome()).isEqualTo("failed");
    await().until(() -> heard.contains("reported failed"));
    assertThat(proxy.count("/complete")).isEqualTo(2);
  }

  @Test
  void no_more_jobs_are_held_than_run_at_once() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<String> jobIds = java.util.stream.IntStream.range(0, 20).mapToObj(i -> enqueue()).toList();
    run(builder(60).concurrency(3).handler(job -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      assertThat(producer.getQueue("q").getDepth().getClaimed()).isLessThanOrEqualTo(3);
      running.decrementAndGet();
      return Outcome.passed(null);
    }));

    jobIds.forEach(jobId -> awaitState(jobId, JobState.SUCCEEDED));
    assertThat(most.get()).isBetween(1, 3);
  }

  private String enqueue() {
    return producer.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
  }

  private Worker.Builder builder(int leaseSeconds) {
    return Worker.builder(client, "w1", List.of("q")).leaseSeconds(leaseSeconds).waitSeconds(5).grace(Duration.ZERO)
        .listener(new Heard());
  }

  private Worker worker(int leaseSeconds, JobHandler handler) {
    return builder(leaseSeconds).handler(handler);
  }

  private void run(Worker worker) {
    workers.add(worker);
    Thread thread = new Thread(worker::run, "worker");
    thread.setDaemon(true);
    thread.start();
  }

  private Job awaitState(String jobId, String state) {
    return await().atMost(Duration.ofSeconds(20)).until(() -> producer.getJob(jobId), job -> state.equals(job.getState()));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private final class Heard implements WorkerListener {
    @Override
    public void claimed(Job job) {
      heard.add("claimed");
    }

    @Override
    public void reported(Job job, Outcome outcome) {
      heard.add("reported " + outcome.verdictWord());
    }

    @Override
    public void released(Job job) {
      heard.add("released");
    }

    @Override
    public void lost(Job job, String why) {
      heard.add("lost");
    }
  }
}

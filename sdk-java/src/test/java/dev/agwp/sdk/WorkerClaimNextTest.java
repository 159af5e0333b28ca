package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.FaultProxy.Seen;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The next job comes with the answer to an outcome, and is never stranded. */
@Execution(ExecutionMode.CONCURRENT)
// A worker that asks for one job too many would wait for it and not fail.
@Timeout(60)
final class WorkerClaimNextTest extends WorkerOnServer {
  private static final Predicate<Seen> COMPLETE = request -> request.line().contains("/complete ");
  private static final Predicate<Seen> FAIL = request -> request.line().contains("/fail ");
  private static final Pattern REQUEST_ID = Pattern.compile("\"request_id\":\"([^\"]+)\"");

  @Test
  void a_job_costs_a_worker_one_request() {
    List<String> jobs = enqueue(30);
    finish.countDown();
    run(builder(60).requireFencing().handler(this::workUntilFinish));

    jobs.forEach(jobId -> awaitState(jobId, JobState.SUCCEEDED));
    await().until(() -> seen(CLAIM).size() == 2);

    // Thirty outcomes; the claim before the first and the one that waits after the last.
    assertThat(proxy.seen()).hasSize(32);
    assertThat(handled).containsExactlyElementsOf(jobs);
  }

  @Test
  void many_jobs_at_once_cost_a_worker_little_more_than_one_request_each() {
    List<String> jobs = enqueue(60);
    finish.countDown();
    // One outcome for all: what a report adds to it must be its own.
    Outcome same = Outcome.passed("fine");
    run(builder(60).concurrency(4).handler(job -> {
      handled.add(job.id());
      return same;
    }));

    jobs.forEach(jobId -> assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1));

    assertThat(seen(COMPLETE)).hasSize(60);
    assertThat(seen(COMPLETE).stream().map(WorkerClaimNextTest::requestId)).doesNotHaveDuplicates();
    assertThat(proxy.seen()).hasSizeLessThan(70);
    assertThat(handled).containsExactlyInAnyOrderElementsOf(jobs);
  }

  @Test
  void an_attempt_given_up_brings_the_next_job_too() {
    List<String> jobs = enqueue(3);
    run(builder(60).handler(job -> {
      handled.add(job.id());
      return Outcome.giveUp("broken", null);
    }));

    jobs.forEach(jobId -> awaitState(jobId, JobState.DEAD));

    assertThat(handled).containsExactlyElementsOf(jobs);
    await().until(() -> seen(CLAIM).size() == 2);
    assertThat(proxy.seen()).hasSize(5);
  }

  @Test
  void the_next_job_of_a_completion_whose_answer_was_lost_is_not_stranded() {
    List<String> jobs = enqueue(3);
    dropFirstAnswer(COMPLETE);
    finish.countDown();
    run(builder(60).handler(this::workUntilFinish));

    jobs.forEach(jobId -> assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1));

    assertThat(handled).containsExactlyElementsOf(jobs);
    assertThat(seen(COMPLETE)).hasSize(4);
    assertThat(requestId(seen(COMPLETE).get(0))).isEqualTo(requestId(seen(COMPLETE).get(1)));
  }

  @Test
  void the_next_job_of_a_failure_whose_answer_was_lost_is_asked_for_under_its_request_id() {
    List<String> jobs = enqueue(2);
    dropFirstAnswer(FAIL);
    run(builder(60).handler(job -> {
      handled.add(job.id());
      return job.id().equals(jobs.get(0)) ? Outcome.retry("again", null, Duration.ofHours(1)) : Outcome.passed(null);
    }));

    assertThat(awaitState(jobs.get(1), JobState.SUCCEEDED).getAttempts()).isEqualTo(1);

    assertThat(handled).containsExactlyElementsOf(jobs);
    assertThat(seen(FAIL)).hasSize(1);
    assertThat(requestId(seen(CLAIM).get(1))).isEqualTo(requestId(seen(FAIL).get(0)));
  }

  @Test
  void a_worker_that_closes_before_it_heard_of_its_next_job_hands_that_back() {
    List<String> jobs = enqueue(2);
    finish.countDown();
    proxy.faults(request -> COMPLETE.test(request) || request.line().startsWith("GET ") ? Fault.DROP_ANSWER : Fault.PASS);
    run(builder(60).handler(this::workUntilFinish));
    await().until(() -> JobState.CLAIMED.equals(producer.getJob(jobs.get(1)).getState()));

    worker.close();

    assertHandedBack(jobs.get(1));
    assertThat(handled).containsExactly(jobs.get(0));
    assertThat(heard).containsExactly("released " + jobs.get(1));
  }

  @Test
  void the_next_job_of_a_completion_under_way_when_the_worker_closes_is_handed_back() throws InterruptedException {
    List<String> jobs = enqueue(2);
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    proxy.faults(request -> {
      if (COMPLETE.test(request)) {
        sent.countDown();
        awaitLatch(closing);
      }
      return Fault.PASS;
    });
    finish.countDown();
    run(builder(60).grace(Duration.ofSeconds(20)).handler(this::workUntilFinish));
    awaitLatch(sent);

    Thread closer = new Thread(worker::close);
    closer.start();
    // run() returns once the worker closes.
    running.join();
    closing.countDown();
    closer.join();

    assertThat(producer.getJob(jobs.get(0)).getState()).isEqualTo(JobState.SUCCEEDED);
    assertHandedBack(jobs.get(1));
    assertThat(handled).containsExactly(jobs.get(0));
    assertThat(heard).containsExactly("released " + jobs.get(1));
  }

  @Test
  void a_worker_that_claims_no_more_or_runs_one_job_asks_for_no_next() throws InterruptedException {
    List<String> jobs = enqueue(3);
    run(builder(60).handler(this::workUntilFinish));
    await().until(() -> handled.size() == 1);
    running.interrupt();
    running.join();
    finish.countDown();
    awaitState(jobs.get(0), JobState.SUCCEEDED);
    try (Worker one = builder(60).handler(this::workUntilFinish)) {
      assertThat(one.runOne().verdictWord()).isEqualTo("passed");
    }

    assertThat(seen(COMPLETE)).hasSize(2).noneMatch(request -> request.body().contains("claim_next"));
    assertThat(producer.getJob(jobs.get(2)).getAttempts()).isZero();
  }

  @Test
  void a_worker_that_closes_while_it_waits_to_claim_again_hands_back_what_it_did_not_hear_of() {
    List<String> jobs = enqueue(1);
    AtomicBoolean deaf = new AtomicBoolean(true);
    proxy.faults(request -> CLAIM.test(request) && deaf.get() ? Fault.DROP_ANSWER : Fault.PASS);
    run(builder(60).handler(this::workUntilFinish));
    await().until(() -> heard.contains("unavailable"));
    deaf.set(false);

    worker.close();

    assertHandedBack(jobs.get(0));
  }

  private void assertHandedBack(String jobId) {
    Job job = producer.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.QUEUED);
    assertThat(job.getAttempts()).isEqualTo(1);
    assertThat(job.getLastError()).isNull();
  }

  private static String requestId(Seen request) {
    Matcher id = REQUEST_ID.matcher(request.body());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  private void dropFirstAnswer(Predicate<Seen> kind) {
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> kind.test(request) && dropped.getAndIncrement() == 0 ? Fault.DROP_ANSWER : Fault.PASS);
  }
}

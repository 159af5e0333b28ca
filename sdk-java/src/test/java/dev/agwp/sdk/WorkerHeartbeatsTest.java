package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.FaultProxy.Seen;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The heartbeats of many claims share calls, and no claim waits for another or is lost with it. */
@Execution(ExecutionMode.CONCURRENT)
final class WorkerHeartbeatsTest extends WorkerOnServer {
  private static final Predicate<Seen> HEARTBEATS = request -> request.line().startsWith("POST /v1/jobs/heartbeat ");
  private static final Predicate<Seen> HEARTBEAT = request -> request.line().contains("/heartbeat ") && !HEARTBEATS.test(request);

  @Test
  void the_heartbeats_of_a_workers_claims_go_in_one_call() {
    List<String> jobs = enqueue(5);
    run(builder(3).concurrency(5).handler(this::workUntilFinish));

    await().atMost(Duration.ofSeconds(20)).until(() -> seen(HEARTBEATS).size() >= 5);
    finish.countDown();

    jobs.forEach(jobId -> assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1));
    assertThat(seen(HEARTBEATS)).allMatch(request -> jobs.stream().allMatch(request.body()::contains));
    assertThat(seen(HEARTBEAT)).isEmpty();
    assertThat(heard).isEmpty();
  }

  @Test
  void claims_that_began_apart_come_to_share_their_heartbeats() {
    String first = enqueue(1).get(0);
    run(builder(6).concurrency(2).handler(this::workUntilFinish));
    await().until(() -> seen(HEARTBEAT).size() == 1);
    String second = enqueue(1).get(0);

    await().atMost(Duration.ofSeconds(20)).until(() -> seen(HEARTBEATS).size() == 2);

    assertThat(seen(HEARTBEATS)).allMatch(request -> request.body().contains(first) && request.body().contains(second));
  }

  @Test
  void a_claim_lost_among_many_stops_its_handler_alone() {
    List<String> jobs = enqueue(3);
    List<String> interrupted = new CopyOnWriteArrayList<>();
    run(builder(3).concurrency(3).handler(job -> {
      try {
        return workUntilFinish(job);
      } catch (InterruptedException stopped) {
        interrupted.add(job.id());
        assertThat(job.isLost()).isTrue();
        throw stopped;
      }
    }));
    await().until(() -> handled.size() == 3);

    producer.cancelJob(jobs.get(1));

    await().until(() -> !heard.isEmpty());
    long seen = seen(HEARTBEATS).size();
    await().until(() -> seen(HEARTBEATS).size() >= seen + 3);
    finish.countDown();
    assertThat(awaitState(jobs.get(0), JobState.SUCCEEDED).getAttempts()).isEqualTo(1);
    assertThat(awaitState(jobs.get(2), JobState.SUCCEEDED).getAttempts()).isEqualTo(1);
    assertThat(interrupted).containsExactly(jobs.get(1));
    assertThat(heard).containsExactly("lost " + jobs.get(1));
    assertThat(whyLost).as("told, not found out by the end of the lease").singleElement().asString().contains("cancelled");
    assertThat(seen(HEARTBEAT)).isEmpty();
  }

  @Test
  void claims_are_kept_one_by_one_while_calls_for_many_get_no_answer() {
    proxy.faults(request -> {
      if (HEARTBEATS.test(request)) {
        // As a server that waits for the row of one of the jobs.
        awaitLatch(finish);
      }
      return Fault.PASS;
    });
    List<String> jobs = enqueue(3);
    run(builder(3).concurrency(3).handler(this::workUntilFinish));

    // More heartbeats than two leases have.
    await().atMost(Duration.ofSeconds(30)).until(() -> jobs.stream().allMatch(jobId -> seen(HEARTBEAT.and(of(jobId))).size() >= 5));
    finish.countDown();

    jobs.forEach(jobId -> assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1));
    assertThat(heard).isEmpty();
  }

  @Test
  void a_call_for_many_that_is_refused_for_one_of_them_loses_none() {
    List<String> jobs = enqueue(2);
    run(builder(3).concurrency(2).handler(job -> {
      if (job.id().equals(jobs.get(0))) {
        // No text of the contract holds this: the server refuses the whole request.
        job.progress(1, "\0");
      }
      return workUntilFinish(job);
    }));

    await().atMost(Duration.ofSeconds(20)).until(() -> heard.contains("lost " + jobs.get(0)));
    finish.countDown();

    assertThat(awaitState(jobs.get(1), JobState.SUCCEEDED).getAttempts()).isEqualTo(1);
    assertThat(heard).containsExactly("lost " + jobs.get(0));
  }

  @Test
  void a_server_without_the_call_for_many_is_asked_once_and_no_claim_is_lost() {
    proxy.faults(request -> HEARTBEATS.test(request) ? Fault.ANSWER_405 : Fault.PASS);
    List<String> jobs = enqueue(3);
    run(builder(3).concurrency(3).handler(this::workUntilFinish));

    await().atMost(Duration.ofSeconds(20)).until(() -> jobs.stream().allMatch(jobId -> seen(HEARTBEAT.and(of(jobId))).size() >= 5));
    finish.countDown();

    jobs.forEach(jobId -> assertThat(awaitState(jobId, JobState.SUCCEEDED).getAttempts()).isEqualTo(1));
    assertThat(seen(HEARTBEATS)).hasSize(1);
    assertThat(heard).isEmpty();
  }

  private static Predicate<Seen> of(String jobId) {
    return request -> request.line().contains(jobId);
  }
}

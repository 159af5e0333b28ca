package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.storage.Database;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures time, or needs the machine for itself")
final class LongPollTest {
  private static final String WAIT = "{\"queues\": [\"q\"], \"worker\": \"%s\", \"wait_seconds\": %d}";

  @EveryDatabase
  void a_waiting_claim_gets_a_job_the_moment_it_is_enqueued(TestDatabase database) {
    Api api = database.serve();
    CompletableFuture<Api.Answer> claim = api.postLater("/v1/jobs/claim", WAIT.formatted("w1", 30));
    awaitWaiting(api, 1);

    long enqueued = System.nanoTime();
    String jobId = api.aQueuedJob();

    assertThat(ClaimTest.ids(claim.orTimeout(10, TimeUnit.SECONDS).join().ok().get("jobs"))).containsExactly(jobId);
    assertThat(Duration.ofNanos(System.nanoTime() - enqueued)).isLessThan(Duration.ofMillis(500));
  }

  @Test
  void an_enqueue_on_one_replica_wakes_a_waiting_claim_on_another_within_500_ms() {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api here = database.serve();
      Api there = database.serve();
      awaitListening(database);
      // Once a replica looks for itself each second: a single enqueue could be found by luck, ten in a row cannot.
      for (int i = 0; i < 10; i++) {
        CompletableFuture<Api.Answer> claim = there.postLater("/v1/jobs/claim", WAIT.formatted("w1", 30));
        awaitWaiting(there, 1);

        long enqueued = System.nanoTime();
        String jobId = here.aQueuedJob();

        assertThat(ClaimTest.ids(claim.orTimeout(10, TimeUnit.SECONDS).join().ok().get("jobs"))).containsExactly(jobId);
        assertThat(Duration.ofNanos(System.nanoTime() - enqueued)).isLessThan(Duration.ofMillis(500));
      }
    }
  }

  @EveryDatabase
  void a_claim_that_waits_in_vain_is_answered_with_no_jobs(TestDatabase database) {
    Api api = database.serve();

    long began = System.nanoTime();
    Api.Answer answer = api.post("/v1/jobs/claim", WAIT.formatted("w1", 1));

    assertThat(answer.ok().get("jobs")).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(950), Duration.ofSeconds(5));
  }

  @EveryDatabase
  void a_job_whose_run_at_comes_wakes_a_waiting_claim(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 1").ok();

    assertThat(ClaimTest.ids(api.claim("w2", "\"wait_seconds\": 20"))).containsExactly(jobId);
  }

  @EveryDatabase
  void a_released_and_a_retried_job_and_a_queue_that_goes_on_wake_a_waiting_claim(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    CompletableFuture<Api.Answer> claim = api.postLater("/v1/jobs/claim", WAIT.formatted("w2", 30));
    awaitWaiting(api, 1);
    api.call("release", jobId, "w1").ok();
    assertThat(ClaimTest.ids(claim.join().ok().get("jobs"))).containsExactly(jobId);

    api.cancel(jobId).ok();
    claim = api.postLater("/v1/jobs/claim", WAIT.formatted("w2", 30));
    awaitWaiting(api, 1);
    api.retry(jobId).ok();
    assertThat(ClaimTest.ids(claim.join().ok().get("jobs"))).containsExactly(jobId);

    api.patch("/v1/queues/q", "{\"paused\": true}").ok();
    api.call("release", jobId, "w2").ok();
    claim = api.postLater("/v1/jobs/claim", WAIT.formatted("w3", 30));
    awaitWaiting(api, 1);
    api.patch("/v1/queues/q", "{\"paused\": false}").ok();
    assertThat(ClaimTest.ids(claim.join().ok().get("jobs"))).containsExactly(jobId);
  }

  @EveryDatabase
  void many_waiting_claims_hold_no_threads_and_each_job_wakes_one(TestDatabase database) {
    Api api = database.serve();
    // More than the server has threads for requests.
    List<CompletableFuture<Api.Answer>> claims = IntStream.range(0, 200)
        .mapToObj(i -> api.postLater("/v1/jobs/claim", WAIT.formatted("w" + i, 60)))
        .toList();
    awaitWaiting(api, 200);

    IntStream.range(0, 200).forEach(i -> api.aQueuedJob());

    List<String> jobs = claims.stream()
        .flatMap(claim -> ClaimTest.ids(claim.orTimeout(30, TimeUnit.SECONDS).join().ok().get("jobs")).stream())
        .toList();
    assertThat(jobs).hasSize(200).doesNotHaveDuplicates();
  }

  @EveryDatabase
  void a_poll_whose_client_has_gone_takes_no_job(TestDatabase database) throws IOException {
    Api api = database.serve();
    try (Socket socket = new Socket(api.base().getHost(), api.base().getPort())) {
      send(socket, WAIT.formatted("gone", 60));
      awaitWaiting(api, 1);
    }

    String jobId = api.aQueuedJob();

    assertThat(ClaimTest.ids(api.claim("w2", "\"wait_seconds\": 20"))).containsExactly(jobId);
    assertThat(api.job(jobId).get("attempts").asInt()).isEqualTo(1);
  }

  @EveryDatabase
  void a_server_that_stops_answers_waiting_claims_with_no_jobs(TestDatabase database) {
    Api api = database.serve();
    CompletableFuture<Api.Answer> claim = api.postLater("/v1/jobs/claim", WAIT.formatted("w1", 60));
    awaitWaiting(api, 1);

    api.server().close();

    assertThat(claim.orTimeout(10, TimeUnit.SECONDS).join().ok().get("jobs")).isEmpty();
  }

  @EveryDatabase
  void a_claim_that_comes_while_its_server_stops_does_not_wait(TestDatabase file) {
    try (Database database = Database.open(file.url())) {
      ClaimWaiters waiters = new ClaimWaiters(database);
      waiters.close();

      assertThat(waiters.claimOrWait(List.of("q"), 60, () -> false, List::of)).isCompletedWithValue(List.of());
    }
  }

  @EveryDatabase
  void a_wait_ends_in_time_while_the_database_is_out_of_reach(TestDatabase file) throws InterruptedException {
    ExecutorService others = Executors.newCachedThreadPool();
    // As many as there are connections to read with.
    int readersMax = file.isPostgresql() ? 10 : 4;
    CountDownLatch held = new CountDownLatch(readersMax);
    CompletableFuture<Object> given = new CompletableFuture<>();
    try (Database database = Database.open(file.url()); ClaimWaiters waiters = new ClaimWaiters(database)) {
      IntStream.range(0, readersMax).forEach(i -> others.submit(() -> database.read(tx -> {
        tx.queues().find("q");
        held.countDown();
        return given.join();
      })));
      held.await();
      long began = System.nanoTime();
      CompletionStage<List<JobRow>> answer = waiters.claimOrWait(List.of("q"), 3, () -> false, List::of);

      assertThat(answer.toCompletableFuture().join()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(6));
    } finally {
      given.complete(true);
      others.shutdown();
    }
  }

  @EveryDatabase
  void a_signal_that_comes_while_a_claim_gets_a_job_lets_the_next_one_try(TestDatabase file) {
    try (Database database = Database.open(file.url()); ClaimWaiters waiters = new ClaimWaiters(database)) {
      BlockingQueue<List<JobRow>> ofSecond = new LinkedBlockingQueue<>(List.of(List.of()));
      List<CompletionStage<List<JobRow>>> second = new ArrayList<>();
      CompletionStage<List<JobRow>> first = waiters.claimOrWait(List.of("q"), 60, () -> false, () -> {
        second.add(waiters.claimOrWait(List.of("q"), 60, () -> false, ofSecond::remove));
        ofSecond.add(Collections.singletonList(null));
        waiters.wake("q");
        // The signal has found the first at its try, and that is all it did.
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("agwp-claim-waiters")).allMatch(thread -> thread.getState() == Thread.State.WAITING));
        return Collections.singletonList(null);
      });

      assertThat(first.toCompletableFuture().join()).hasSize(1);
      assertThat(second.get(0).toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join()).hasSize(1);
    }
  }

  @Test
  void a_client_that_resets_its_connection_while_it_waits_does_not_hold_up_the_stop() throws IOException {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();
      try (Socket socket = new Socket(api.base().getHost(), api.base().getPort())) {
        send(socket, WAIT.formatted("gone", 1));
        awaitWaiting(api, 1);
        // Closed so it is reset.
        socket.setSoLinger(true, 0);
      }
      awaitWaiting(api, 0);

      long began = System.nanoTime();
      api.server().close();

      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    }
  }

  @EveryDatabase
  void an_answered_claim_is_kept_no_longer_than_its_answer(TestDatabase file) {
    try (Database database = Database.open(file.url()); ClaimWaiters waiters = new ClaimWaiters(database)) {
      BlockingQueue<List<JobRow>> jobs = new LinkedBlockingQueue<>(List.of(List.of()));
      Supplier<List<JobRow>> claim = jobs::remove;
      CompletionStage<List<JobRow>> answer = waiters.claimOrWait(List.of("q"), 60, () -> false, claim);
      jobs.add(Collections.singletonList(null));
      waiters.wake("q");
      assertThat(answer.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join()).hasSize(1);

      WeakReference<Object> forgotten = new WeakReference<>(claim);
      claim = null;
      await().atMost(Duration.ofSeconds(20)).until(() -> {
        System.gc();
        return forgotten.get() == null;
      });
    }
  }

  private static void send(Socket socket, String claim) throws IOException {
    socket.getOutputStream().write(("POST /v1/jobs/claim HTTP/1.1\r\nHost: agwp\r\nContent-Type: application/json\r\n"
        + "Content-Length: " + claim.length() + "\r\n\r\n" + claim).getBytes(StandardCharsets.US_ASCII));
  }

  private static void awaitWaiting(Api api, int claims) {
    await().atMost(Duration.ofSeconds(20)).until(() -> new String(api.get("/metrics").http().body(), StandardCharsets.UTF_8)
        .lines().anyMatch(line -> line.equals("agwp_claims_waiting " + claims + ".0")));
  }

  private static void awaitListening(TestDatabase database) {
    await().until(() -> database.number("select count(*) from pg_stat_activity "
        + "where datname = current_database() and query like '%listen agwp_claimable%'") >= 2);
  }
}

package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.storage.Database;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Whatever is done, by however many callers and servers: the log holds what was accepted, once, and causes before their effects. */
final class AuditUnderLoadTest {
  private static final int CALLERS = 6;
  private static final int CALLS = 80;
  private static final List<String> CALLS_OF_HOLDERS = List.of("heartbeat", "complete", "fail", "release");
  private static final Map<String, String> KINDS = Map.of(
      "heartbeat", "job_heartbeat", "complete", "job_completed", "fail", "job_failed", "release", "job_released");

  @EveryDatabase
  void the_log_holds_every_accepted_change_once_whoever_made_it(TestDatabase database) {
    List<Api> servers = List.of(database.serve(), database.serve());
    List<CompletableFuture<Map<String, Long>>> callers = IntStream.range(0, CALLERS)
        .mapToObj(i -> CompletableFuture.supplyAsync(() -> new Caller(servers.get(i % servers.size()), i).run())).toList();
    Map<String, Long> accepted = new HashMap<>();
    callers.forEach(caller -> caller.join().forEach((kind, times) -> accepted.merge(kind, times, Long::sum)));

    AuditRows.awaitSealed(database);

    List<Event> events = AuditRows.events(database);
    Map<String, Long> recorded = events.stream().collect(Collectors.groupingBy(event -> event.text(Field.KIND), Collectors.counting()));
    assertThat(recorded).isEqualTo(accepted).containsKeys("job_enqueued", "job_claimed", "job_completed", "completion_refused", "job_cancelled");
    try (Database reading = Database.openToRead(database.url())) {
      assertThat(new VerifyLog(reading, List.of(), (seq, of) -> {}).run()).isEqualTo(new VerifyLog.Verdict(events.size(), null, null));
    }
    events.stream().filter(event -> !event.text(Field.KIND).equals("completion_refused"))
        .collect(Collectors.groupingBy(event -> event.text(Field.JOB_ID))).values().forEach(AuditUnderLoadTest::assertCausesComeFirst);
  }

  private static void assertCausesComeFirst(List<Event> ofOneJob) {
    assertThat(ofOneJob.get(0).text(Field.KIND)).isEqualTo("job_enqueued");
    assertThat(ofOneJob.stream().map(event -> event.number(Field.ATTEMPTS)).toList()).isSorted();
  }

  /** Counts what the server accepted of its random calls, by the kind of event that must come of it. */
  private static final class Caller {
    private final Api api;
    private final String worker;
    private final Random random;
    private final Map<String, Long> accepted = new HashMap<>();
    private String held = "unknown";

    private Caller(Api api, int number) {
      this.api = api;
      worker = "w" + number;
      random = new Random(number);
    }

    private Map<String, Long> run() {
      for (int i = 0; i < CALLS; i++) {
        switch (random.nextInt(4)) {
          case 0 -> enqueue();
          case 1 -> claim();
          default -> callOfHolder(CALLS_OF_HOLDERS.get(random.nextInt(CALLS_OF_HOLDERS.size())));
        }
      }
      return accepted;
    }

    private void enqueue() {
      String jobId = api.aQueuedJob();
      count("job_enqueued");
      if (random.nextInt(10) == 0 && api.cancel(jobId).status() == 200) {
        count("job_cancelled");
      }
    }

    private void claim() {
      JsonNode jobs = api.claim(worker);
      if (!jobs.isEmpty()) {
        count("job_claimed");
        held = jobs.get(0).get("job_id").asText();
      }
    }

    private void callOfHolder(String operation) {
      boolean applied = api.call(operation, held, worker, operation.equals("fail") ? "\"retry_delay_seconds\": 0" : "\"fencing_token\": 0")
          .status() == 200;
      if (applied) {
        count(KINDS.get(operation));
      } else if (operation.equals("complete")) {
        count("completion_refused");
      }
    }

    private void count(String kind) {
      accepted.merge(kind, 1L, Long::sum);
    }
  }
}

package dev.agwp.server.queue;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.PageToken;
import dev.agwp.server.message.ListQueuesResponse;
import dev.agwp.server.message.Queue;
import dev.agwp.server.message.QueueDepth;
import dev.agwp.server.message.UnfencedCalls;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** getQueue and listQueues. */
public final class ReadQueues {
  /** A worker that did not call for 30 days would break nothing any more. */
  public static final long UNFENCED_MS_KEPT = Duration.ofDays(30).toMillis();
  private static final int UNFENCED_CALLERS_MAX = 1000;
  private static final int PAGE_SIZE_DEFAULT = 1000;
  private static final long MS_PER_SECOND = 1000;

  private final Database database;

  public ReadQueues(Database database) {
    this.database = database;
  }

  Queue one(Caller caller, String name) {
    caller.checkQueue("queue", name);
    return database.read(tx -> one(tx, name));
  }

  static Queue one(Transaction tx, String name) {
    QueueRow row = tx.queues().find(name);
    if (row == null) {
      throw unknown(name);
    }
    List<UnfencedCalls> unfenced = tx.queues().unfenced(name, UNFENCED_MS_KEPT, UNFENCED_CALLERS_MAX).stream()
        .map(UnfencedRow::toMessage).toList();
    return messages(tx, List.of(row)).get(0).unfencedCalls(unfenced.isEmpty() ? null : unfenced);
  }

  static ApiException unknown(String name) {
    return new ApiException(NOT_FOUND, "no job was ever put on a queue named " + name);
  }

  /** One page of the queues with such names, in the order of the names. */
  public ListQueuesResponse page(NamePatterns names, Integer pageSize, String pageToken) {
    int queuesMax = pageSize == null ? PAGE_SIZE_DEFAULT : pageSize;
    String afterName = pageToken == null ? "" : PageToken.read(pageToken);
    return database.read(tx -> {
      // One more than asked for tells whether there is a next page.
      List<QueueRow> rows = tx.queues().list(names.areAll() ? null : names.patterns(), afterName, queuesMax + 1);
      boolean last = rows.size() <= queuesMax;
      List<QueueRow> page = last ? rows : rows.subList(0, queuesMax);
      return new ListQueuesResponse()
          .queues(messages(tx, page))
          .nextPageToken(last ? null : PageToken.of(page.get(queuesMax - 1).name()));
    });
  }

  /** Who called without a fencing token, of all queues, latest first. */
  public List<UnfencedRow> unfenced() {
    return database.read(tx -> tx.queues().unfenced(null, UNFENCED_MS_KEPT, UNFENCED_CALLERS_MAX));
  }

  private static List<Queue> messages(Transaction tx, List<QueueRow> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    List<String> names = rows.stream().map(QueueRow::name).toList();
    Map<String, Map<String, Long>> depths = tx.queues().depths(names).stream()
        .collect(Collectors.groupingBy(DepthRow::queue, Collectors.toMap(DepthRow::state, DepthRow::jobs)));
    Map<String, AgeRow> ages = tx.queues().oldestClaimable(names).stream()
        .collect(Collectors.toMap(AgeRow::queue, Function.identity()));
    return rows.stream().map(row -> {
      AgeRow age = ages.get(row.name());
      return new Queue()
          .queue(row.name())
          .paused(row.paused())
          .requireFencing(row.requireFencing())
          .attestation(row.attestation())
          .depth(depth(depths.getOrDefault(row.name(), Map.of())))
          .oldestClaimableAgeSeconds(age == null ? null : Math.max(0, age.ageMs()) / MS_PER_SECOND);
    }).toList();
  }

  private static QueueDepth depth(Map<String, Long> jobs) {
    return new QueueDepth()
        .queued(jobs.getOrDefault("queued", 0L))
        .claimed(jobs.getOrDefault("claimed", 0L))
        .succeeded(jobs.getOrDefault("succeeded", 0L))
        .dead(jobs.getOrDefault("dead", 0L))
        .cancelled(jobs.getOrDefault("cancelled", 0L));
  }
}

package dev.agwp.server.operations;

import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.message.ListQueuesResponse;
import dev.agwp.server.message.Queue;
import dev.agwp.server.message.QueueDepth;
import dev.agwp.server.queue.ReadQueues;
import dev.agwp.server.queue.UnfencedRow;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** /metrics in the Prometheus text format. Queues are read when somebody scrapes. */
@Path("metrics")
public final class MetricsResource {
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
  /** One series for each queue and state: more queues than this would swamp the scraper. */
  private static final int QUEUES_MAX = 1000;
  private static final double MS_PER_SECOND = 1000;

  private final PrometheusMeterRegistry metrics;
  private final ReadQueues queues;
  private final MultiGauge depth;
  private final MultiGauge oldest;
  private final MultiGauge unfencedCalls;
  private final MultiGauge unfencedLast;

  public MetricsResource(PrometheusMeterRegistry metrics, ReadQueues queues) {
    this.metrics = metrics;
    this.queues = queues;
    depth = MultiGauge.builder("agwp.queue.depth").description("Jobs of a queue by state").register(metrics);
    oldest = MultiGauge.builder("agwp.queue.oldest.claimable.age").baseUnit("seconds")
        .description("Since when the oldest claimable job of a queue could have been claimed").register(metrics);
    unfencedCalls = MultiGauge.builder("agwp.unfenced.calls")
        .description("Calls of holders without a fencing token, by whom").register(metrics);
    unfencedLast = MultiGauge.builder("agwp.unfenced.last.call.timestamp").baseUnit("seconds")
        .description("When the latest call without a fencing token was, in seconds since 1970").register(metrics);
  }

  @GET
  @Produces(PROMETHEUS_TEXT)
  public synchronized String scrape() {
    ListQueuesResponse page = queues.page(NamePatterns.ALL, QUEUES_MAX, null);
    List<Row<?>> depths = new ArrayList<>();
    List<Row<?>> ages = new ArrayList<>();
    for (Queue queue : page.getQueues()) {
      QueueDepth jobs = queue.getDepth();
      depths.add(depth(queue, "queued", jobs.getQueued()));
      depths.add(depth(queue, "claimed", jobs.getClaimed()));
      depths.add(depth(queue, "succeeded", jobs.getSucceeded()));
      depths.add(depth(queue, "dead", jobs.getDead()));
      depths.add(depth(queue, "cancelled", jobs.getCancelled()));
      Long age = queue.getOldestClaimableAgeSeconds();
      // A queue with nothing to claim keeps nobody waiting; a gap in the series would hide that from an alert.
      ages.add(Row.of(Tags.of("queue", queue.getQueue()), age == null ? 0 : age));
    }
    depth.register(depths, true);
    oldest.register(ages, true);
    List<UnfencedRow> unfenced = queues.unfenced();
    unfencedCalls.register(rows(unfenced, row -> row.calls()), true);
    unfencedLast.register(rows(unfenced, row -> row.lastAt() / MS_PER_SECOND), true);
    return metrics.scrape();
  }

  private static List<Row<?>> rows(List<UnfencedRow> unfenced, ToDoubleFunction<UnfencedRow> figure) {
    List<Row<?>> rows = new ArrayList<>();
    for (UnfencedRow row : unfenced) {
      Tags who = Tags.of("queue", row.queue(), "principal", row.principal(), "worker", row.worker());
      rows.add(Row.of(who, figure.applyAsDouble(row)));
    }
    return rows;
  }

  private static Row<Number> depth(Queue queue, String state, Long jobs) {
    return Row.of(Tags.of("queue", queue.getQueue(), "state", state), jobs);
  }
}

package dev.agwp.bench;

import dev.agwp.server.api.JobsApi;
import dev.agwp.server.http.HttpListener;
import dev.agwp.server.http.Limits;
import dev.agwp.server.message.ClaimJobResponse;
import dev.agwp.server.message.Job;
import dev.agwp.spec.Contract;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** The server's own HTTP stack before a resource that does nothing: what a request costs when no job is touched. */
final class NoOpStack {
  private static final OffsetDateTime TIME = OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 678_000_000, ZoneOffset.UTC);

  private NoOpStack() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Limits limits = Limits.of(Limits.CONNECTIONS_MAX_DEFAULT, Limits.CONNECTIONS_MAX_DEFAULT);
    HttpListener listener = HttpListener.start("127.0.0.1", 0, limits, null, Contract.load(),
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), List.of(resource()));
    System.out.println("agwp-server's HTTP stack serves http://127.0.0.1:" + listener.port());
    // Its threads are daemons.
    new CountDownLatch(1).await();
  }

  /** Implements the generated interface, whatever operations it has by now, and answers the two that are measured. */
  private static Object resource() {
    Job job = job();
    ClaimJobResponse claimed = new ClaimJobResponse().jobs(List.of(job)).fencingEnforced(true);
    return Proxy.newProxyInstance(NoOpStack.class.getClassLoader(), new Class<?>[] {JobsApi.class},
        (self, method, arguments) -> switch (method.getName()) {
          case "claimJob" -> CompletableFuture.completedFuture(claimed);
          case "completeJob" -> job;
          case "hashCode" -> System.identityHashCode(self);
          case "equals" -> self == arguments[0];
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }

  private static Job job() {
    return new Job()
        .jobId("01a2342c-5571-7200-890f-281b11e5ec5d")
        .queue("bench")
        .state("claimed")
        .payload(Map.of("path", "p".repeat(88)))
        .priority(0)
        .attempts(1L)
        .maxAttempts(5L)
        .claimedBy("local|w1")
        .leaseExpiresAt(TIME)
        .runAt(TIME)
        .createdAt(TIME)
        .updatedAt(TIME);
  }
}

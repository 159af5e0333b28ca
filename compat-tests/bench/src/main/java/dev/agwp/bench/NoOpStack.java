package dev.agwp.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.server.api.JobsApi;
import dev.agwp.server.http.HttpListener;
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

/** The server's own HTTP stack before a resource that does nothing: what a request costs when no job is touched. */
public final class NoOpStack {
  private NoOpStack() {}

  public static void main(String[] args) throws IOException {
    Job job = job();
    ClaimJobResponse claimed = new ClaimJobResponse().jobs(List.of(job)).fencingEnforced(true);
    // A proxy of the generated interface: it goes on fitting as the contract grows.
    Object resource = Proxy.newProxyInstance(NoOpStack.class.getClassLoader(), new Class<?>[] {JobsApi.class},
        (self, method, arguments) -> switch (method.getName()) {
          case "claimJob" -> CompletableFuture.completedFuture(claimed);
          case "completeJob" -> job;
          case "hashCode" -> System.identityHashCode(self);
          case "equals" -> self == arguments[0];
          default -> throw new UnsupportedOperationException(method.getName());
        });
    HttpListener listener = HttpListener.start(
        "127.0.0.1", 0, Contract.load(), new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), List.of(resource));
    System.out.println("the HTTP stack of agwp-server, no-op resource serves http://127.0.0.1:" + listener.port());
  }

  private static Job job() throws JsonProcessingException {
    OffsetDateTime time = OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 678_000_000, ZoneOffset.UTC);
    return new Job()
        .jobId("01a2342c-5571-7200-890f-281b11e5ec5d")
        .queue("bench")
        .state("claimed")
        .payload(new ObjectMapper().readValue(Agwp.PAYLOAD, Map.class))
        .priority(0)
        .attempts(1L)
        .maxAttempts(5L)
        .claimedBy("local|w1")
        .leaseExpiresAt(time)
        .runAt(time)
        .createdAt(time)
        .updatedAt(time);
  }
}

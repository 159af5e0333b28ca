package dev.agwp.server.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.annotation.Priority;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One debug line and one timing for each request; the log's word for a request is its X-Request-Id. */
@Priority(RequestLog.LAST)
final class RequestLog implements ContainerResponseFilter {
  /** Filters of answers run from the highest priority down: this one sees the status that another has set. */
  static final int LAST = 0;
  private static final Logger LOG = LoggerFactory.getLogger("agwp.requests");
  private static final String OUTCOME = "agwp.outcome";

  private static final Duration[] BUCKETS = IntStream.of(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 60_000)
      .mapToObj(Duration::ofMillis)
      .toArray(Duration[]::new);

  private final MeterRegistry metrics;
  private final Set<String> operationIds;
  private final Map<Answered, Timer> timers = new ConcurrentHashMap<>();

  RequestLog(MeterRegistry metrics, Set<String> operationIds) {
    this.metrics = metrics;
    this.operationIds = operationIds;
  }

  /** What {@link FrontHandler} named the request, null outside of one. */
  static String id(ContainerRequestContext request) {
    return request.getHeaderString(FrontHandler.REQUEST_ID_HEADER);
  }

  static void outcome(ContainerRequestContext request, ErrorCode code) {
    request.setProperty(OUTCOME, code.word());
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    long nanos = System.nanoTime() - (long) request.getProperty(FrontHandler.STARTED_NANOS);
    Object outcome = request.getProperty(OUTCOME);
    // Not an injected ResourceInfo: that is looked up in Jersey's container each time.
    ResourceMethod method = ((ExtendedUriInfo) request.getUriInfo()).getMatchedResourceMethod();
    String operation = method == null ? "none" : method.getInvocable().getDefinitionMethod().getName();
    if (operationIds.contains(operation)) {
      timers.computeIfAbsent(new Answered(operation, outcome == null ? "ok" : outcome.toString()), this::timer)
          .record(nanos, TimeUnit.NANOSECONDS);
    }
    if (LOG.isDebugEnabled()) {
      debug(request, response, nanos, outcome);
    }
  }

  private record Answered(String operation, String outcome) {}

  private Timer timer(Answered answered) {
    return Timer.builder("agwp.operation")
        .description("Time to answer an operation; a claim that waits for a job includes the wait")
        .tags("operation", answered.operation(), "outcome", answered.outcome())
        .serviceLevelObjectives(BUCKETS)
        .register(metrics);
  }

  private static void debug(ContainerRequestContext request, ContainerResponseContext response, long nanos, Object outcome) {
    LOG.debug("{} {} {} {} {} ms {}", id(request), request.getMethod(), request.getUriInfo().getPath(false),
        response.getStatus(), TimeUnit.NANOSECONDS.toMillis(nanos), outcome == null ? "ok" : outcome);
  }
}

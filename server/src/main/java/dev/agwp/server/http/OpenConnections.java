package dev.agwp.server.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.memory.Buffers;

/** All clients' connections: how many there may be, and an end to those whose client does not send or read in time. */
final class OpenConnections extends BaseFilter implements AutoCloseable {
  private static final long LOOKS_AFTER_MS_MAX = 1_000;
  /** For a client that goes on sending after it was refused, to get to read why. One that has read it closes by itself. */
  private static final long LEFT_OPEN_MS = 2_000;

  private final Limits limits;
  private final Problems problems;
  private final MeterRegistry metrics;
  private final Set<OpenConnection> open = ConcurrentHashMap.newKeySet();
  private final Map<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "agwp-deadlines");
    thread.setDaemon(true);
    return thread;
  });

  OpenConnections(Limits limits, Problems problems, MeterRegistry metrics) {
    this.limits = limits;
    this.problems = problems;
    this.metrics = metrics;
    Gauge.builder("agwp.connections.open", open, Set::size).description("Connections of clients").register(metrics);
    long everyMs = Math.max(1, Math.min(LOOKS_AFTER_MS_MAX, limits.shortest().toMillis() / 4));
    clock.scheduleWithFixedDelay(this::endTheLate, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public NextAction handleAccept(FilterChainContext context) {
    OpenConnection client = OpenConnection.begin(context.getConnection());
    open.add(client);
    boolean fits = byAddress.merge(client.address(), 1, Integer::sum) <= limits.connectionsPerAddressMax()
        && open.size() <= limits.connectionsMax();
    if (!fits) {
      end(client, "too_many");
      return context.getStopAction();
    }
    return context.getInvokeAction();
  }

  @Override
  public NextAction handleClose(FilterChainContext context) {
    OpenConnection client = OpenConnection.of(context.getConnection());
    if (client != null) {
      forget(client);
    }
    return context.getInvokeAction();
  }

  /** Whether some client still waits for an answer, or has one to take. */
  boolean anyBusy() {
    return open.stream().anyMatch(OpenConnection::isBusy);
  }

  private boolean forget(OpenConnection client) {
    boolean known = open.remove(client);
    if (known) {
      byAddress.computeIfPresent(client.address(), (address, count) -> count == 1 ? null : count - 1);
    }
    return known;
  }

  private void endTheLate() {
    long now = System.nanoTime();
    long unread = 0;
    for (OpenConnection client : open) {
      switch (client.overdue(now)) {
        case HEAD -> end(client, "slow_head");
        case BODY -> {
          count("slow_body");
          refuse(client, BodyLimit.tooSlow(limits.body()));
        }
        case END -> end(client, "slow_body");
        default -> {
          if (client.readsTooSlowly(now, limits.answer())) {
            end(client, "slow_reader");
          }
        }
      }
      unread += client.unreadBytes();
    }
    if (unread > limits.heldBytesMax()) {
      open.stream().max(Comparator.comparingInt(OpenConnection::unreadBytes)).ifPresent(most -> end(most, "unread_answers"));
    }
  }

  void end(OpenConnection client, String why) {
    if (forget(client)) {
      count(why);
    }
    client.connection().terminateSilently();
  }

  private void count(String why) {
    Counter.builder("agwp.connections.ended")
        .description("Connections that the server ended because of their client")
        .tag("why", why)
        .register(metrics)
        .increment();
  }

  /** Refuses a request before it is one, and closes the connection. As bytes: there is no request yet that Grizzly could answer. */
  void refuse(OpenConnection client, ApiException refusal) {
    client.giveUp();
    byte[] body = problems.body(refusal, Format.JSON);
    String head = "HTTP/1.1 " + refusal.code().status() + " " + refusal.code().title() + "\r\nContent-Type: " + Format.JSON.problemType()
        + "\r\nContent-Length: " + body.length + "\r\n" + FrontHandler.REQUEST_ID_HEADER + ": " + FrontHandler.newId()
        + "\r\nConnection: close\r\n\r\n";
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    answer.writeBytes(body);
    client.connection().write(Buffers.wrap(null, answer.toByteArray()));
    // Closed at once it would be reset while the client sends, and the refusal be lost. What comes meanwhile is thrown away.
    clock.schedule(client.connection()::closeSilently, LEFT_OPEN_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}

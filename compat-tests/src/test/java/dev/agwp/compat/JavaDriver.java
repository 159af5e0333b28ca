package dev.agwp.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.ClaimedJob;
import dev.agwp.sdk.LostClaimException;
import dev.agwp.sdk.NoAnswerException;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.Worker;
import dev.agwp.sdk.WorkerListener;
import dev.agwp.sdk.model.Job;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The Java SDK as the harness drives it: one JSON object a line, in and out. A process of its own, on the SDK of today or of a release,
 * so it asks for what older ones lack by reflection.
 */
public final class JavaDriver {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final Map<String, BlockingQueue<JsonNode>> orders = new ConcurrentHashMap<>();
  private final Map<String, ClaimedJob> running = new ConcurrentHashMap<>();
  private Worker worker;

  public static void main(String[] args) throws IOException {
    JavaDriver driver = new JavaDriver();
    driver.tell(event("ready"));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      driver.obey(JSON.readTree(line));
    }
    driver.close();
    System.exit(0);
  }

  private void obey(JsonNode order) {
    switch (order.get("do").asText()) {
      case "start" -> start(order);
      case "finish" -> orders(order.get("job_id").asText()).add(order);
      case "progress" -> running.get(order.get("job_id").asText())
          .progress(order.get("percent").asInt(), order.path("message").asText(null));
      case "close" -> {
        close();
        tell(event("closed"));
      }
      case "call" -> tell(Calls.answer(order).put("id", order.path("id").asInt()));
      default -> throw new IllegalArgumentException(order.toString());
    }
  }

  private BlockingQueue<JsonNode> orders(String jobId) {
    return orders.computeIfAbsent(jobId, id -> new LinkedBlockingQueue<>());
  }

  private void start(JsonNode order) {
    List<String> queues = new ArrayList<>();
    order.get("queues").forEach(queue -> queues.add(queue.asText()));
    AgwpClient client = AgwpClient.builder(URI.create(order.get("server").asText())).build();
    Worker.Builder builder = Worker.builder(client, order.get("label").asText(), queues)
        .leaseSeconds(order.path("lease_seconds").asInt(60))
        .waitSeconds(order.path("wait_seconds").asInt(2))
        .concurrency(order.path("concurrency").asInt(1))
        .grace(Duration.ofSeconds(order.path("grace_seconds").asInt()))
        .listener(new Told());
    if (order.path("require_fencing").asBoolean()) {
      Newer.call(builder, "requireFencing");
    }
    worker = builder.handler(this::handle);
    CompletableFuture.runAsync(worker::run, command -> daemon(command).start()).whenComplete((nothing, failed) -> {
      ObjectNode ended = event("ended");
      if (failed != null) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        ended.put("error", cause.getMessage()).put("type", cause.getClass().getSimpleName().replace("Exception", ""));
      }
      tell(ended);
    });
    tell(event("started"));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "driver-worker");
    thread.setDaemon(true);
    return thread;
  }

  private Outcome handle(ClaimedJob job) throws InterruptedException {
    running.put(job.id(), job);
    tell(event("claimed").put("job_id", job.id()).put("attempts", job.attempts()).put("fencing_token", job.attempts()));
    JsonNode order;
    try {
      order = orders(job.id()).take();
    } catch (InterruptedException cancelled) {
      tell(event("stopped").put("job_id", job.id()));
      throw cancelled;
    }
    String text = order.path("summary").asText(null);
    return switch (order.get("outcome").asText()) {
      case "passed" -> attested(Outcome.passed(text), order);
      case "failed" -> attested(Outcome.failed(text), order);
      case "retry" -> Outcome.retry("again", text, Duration.ofSeconds(order.path("retry_delay_seconds").asInt()));
      default -> throw new IllegalStateException("as the harness asked");
    };
  }

  private static Outcome attested(Outcome outcome, JsonNode order) {
    return order.has("attestation")
        ? outcome.withAttestation("text/plain", order.get("attestation").asText().getBytes(StandardCharsets.UTF_8)) : outcome;
  }

  private void close() {
    if (worker != null) {
      worker.close();
    }
  }

  private static ObjectNode event(String name) {
    return JSON.createObjectNode().put("event", name);
  }

  private synchronized void tell(ObjectNode event) {
    out.println(event);
  }

  private final class Told implements WorkerListener {
    @Override
    public void reported(Job job, Outcome outcome) {
      tell(event("reported").put("job_id", job.getJobId()).put("outcome", outcome.verdictWord()));
    }

    @Override
    public void released(Job job) {
      tell(event("released").put("job_id", job.getJobId()));
    }

    @Override
    public void lost(Job job, String why) {
      tell(event("lost").put("job_id", job.getJobId()).put("why", why));
    }

    @Override
    public void unknown(Job job, Outcome outcome) {
      tell(event("unknown").put("job_id", job.getJobId()));
    }

    @Override
    public void unavailable(AgwpException problem) {
      tell(event("unavailable"));
    }
  }

  /** One call of the client by its operationId. */
  private static final class Calls {
    private static ObjectNode answer(JsonNode order) {
      try (AgwpClient client = AgwpClient.builder(URI.create(order.get("server").asText())).build()) {
        Object answer = Newer.operation(client, order);
        ObjectNode event = event("answer");
        event.set("body", Newer.SDK_JSON.valueToTree(answer));
        return event;
      } catch (AgwpException refused) {
        String type = refused instanceof LostClaimException ? "LostClaim" : refused instanceof NoAnswerException ? "NoAnswer" : "Agwp";
        return event("refused").put("type", type).put("code", refused.code()).put("status", refused.status())
            .put("detail", refused.getMessage()).put("reason", (String) Newer.call(refused, "reason"));
      } catch (IllegalArgumentException malformed) {
        return event("invalid").put("message", malformed.getMessage());
      }
    }
  }
}

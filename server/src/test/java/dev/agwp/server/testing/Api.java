package dev.agwp.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.AgwpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The operations as a caller with nothing but HTTP and JSON sees them. Every answer is held against the contract. */
public final class Api {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private final URI base;
  private final AgwpServer server;
  private final String credential;

  Api(URI base, AgwpServer server) {
    this(base, server, null);
  }

  private Api(URI base, AgwpServer server, String credential) {
    this.base = base;
    this.server = server;
    this.credential = credential;
  }

  /** The same server, called with this bearer token. */
  public Api as(String token) {
    return new Api(base, server, "Bearer " + token);
  }

  public record Answer(int status, HttpResponse<byte[]> http) {
    public JsonNode json() {
      try {
        return JSON.readTree(http.body());
      } catch (IOException notJson) {
        throw new UncheckedIOException(notJson);
      }
    }

    public String text() {
      return new String(http.body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    public String code() {
      return json().path("code").asText();
    }

    public String header(String name) {
      return http.headers().firstValue(name).orElse(null);
    }

    /** The message of a call that must have worked. */
    public ObjectNode ok() {
      assertThat(status).as(new String(http.body(), java.nio.charset.StandardCharsets.UTF_8)).isIn(200, 201);
      return (ObjectNode) json();
    }

    public void refused(int expectedStatus, String expectedCode) {
      assertThat(status + " " + code()).as(json().toString()).isEqualTo(expectedStatus + " " + expectedCode);
    }
  }

  public URI base() {
    return base;
  }

  public AgwpServer server() {
    return server;
  }

  public Answer get(String path) {
    return send(request(path).GET().build());
  }

  public Answer post(String path, String json) {
    return send(postRequest(path, json));
  }

  public CompletableFuture<Answer> postLater(String path, String json) {
    HttpRequest request = postRequest(path, json);
    return HTTP.sendAsync(request, BodyHandlers.ofByteArray()).thenApply(http -> checked(request, http));
  }

  public Answer patch(String path, String json) {
    return send(request(path).header("Content-Type", "application/json")
        .method("PATCH", BodyPublishers.ofString(json)).build());
  }

  public Answer send(HttpRequest request) {
    try {
      return checked(request, HTTP.send(request, BodyHandlers.ofByteArray()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static Answer checked(HttpRequest request, HttpResponse<byte[]> http) {
    ContractCheck.check(request, http);
    return new Answer(http.statusCode(), http);
  }

  public HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path)).timeout(TIMEOUT);
    return credential == null ? request : request.header("Authorization", credential);
  }

  private HttpRequest postRequest(String path, String json) {
    return request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)).build();
  }

  /** A job on the queue {@code q}; extra is more of its fields as JSON, for example {@code "max_attempts": 1}. */
  public String aQueuedJob(String... extra) {
    String more = extra.length == 0 ? "" : ", " + String.join(", ", extra);
    return post("/v1/jobs", "{\"queue\": \"q\"" + more + "}").ok().get("job_id").asText();
  }

  /** A job on the queue {@code q} that the worker holds for a minute. */
  public String aClaimedJob(String worker, String... extra) {
    String jobId = aQueuedJob(extra);
    JsonNode claimed = claim(worker);
    assertThat(claimed).hasSize(1);
    assertThat(claimed.get(0).get("job_id").asText()).isEqualTo(jobId);
    return jobId;
  }

  /** Claims at most one job of {@code q}. */
  public JsonNode claim(String worker, String... extra) {
    String more = extra.length == 0 ? "" : ", " + String.join(", ", extra);
    return post("/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"" + worker + "\"" + more + "}").ok().get("jobs");
  }

  /** A call of a holder, {@code heartbeat}, {@code complete}, {@code fail} or {@code release}, with what it must carry. */
  public Answer call(String operation, String jobId, String worker, String... extra) {
    String more = extra.length == 0 ? "" : ", " + String.join(", ", extra);
    String outcome = operation.equals("complete") ? ", \"outcome\": \"passed\"" : "";
    return post("/v1/jobs/" + jobId + "/" + operation, "{\"worker\": \"" + worker + "\"" + outcome + more + "}");
  }

  public Answer cancel(String jobId) {
    return send(request("/v1/jobs/" + jobId + "/cancel").POST(BodyPublishers.noBody()).build());
  }

  public Answer retry(String jobId) {
    return send(request("/v1/jobs/" + jobId + "/retry").POST(BodyPublishers.noBody()).build());
  }

  public ObjectNode job(String jobId) {
    return get("/v1/jobs/" + jobId).ok();
  }
}

package dev.agwp.sdk;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.sdk.AgwpException.FieldError;
import dev.agwp.sdk.AgwpException.Refusal;
import dev.agwp.sdk.internal.ApiClient;
import dev.agwp.sdk.internal.ApiException;
import dev.agwp.sdk.internal.JobsApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Carries calls over the generated client: typed errors, and repeats where they are safe. */
final class Transport {
  private static final long FIRST_PAUSE_MS = 100;
  private static final long PAUSE_MS_MAX = 10_000;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int ERROR = 400;

  /** What may be done when a call was sent and no answer came. */
  enum Repeat { SAFELY, IF_NOT_SENT }

  interface Call<A, T> {
    T on(A api) throws ApiException;
  }

  private final URI server;
  private final Duration requestTimeout;
  private final int triesMax;
  private final HttpClient http;
  private final Bearer bearer;
  // A null inside of a payload or result is the caller's and stays.
  private final ObjectMapper json = ApiClient.createDefaultObjectMapper()
      .setDefaultPropertyInclusion(JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS));
  private final Map<Duration, JobsApi> jobs = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  Transport(URI server, HttpClient http, Bearer bearer, Duration requestTimeout, int triesMax) {
    this.server = server;
    this.http = http;
    this.bearer = bearer;
    this.requestTimeout = requestTimeout;
    this.triesMax = triesMax;
  }

  <T> T call(Repeat repeat, Call<JobsApi, T> call) {
    return call(repeat, Duration.ZERO, call);
  }

  /** @param wait what the server was asked to wait before it answers */
  <T> T call(Repeat repeat, Duration wait, Call<JobsApi, T> call) {
    JobsApi api = jobs(requestTimeout.plus(wait));
    return tries(repeat, triesMax, () -> call.on(api));
  }

  <T> T callOfHolder(Repeat repeat, Call<JobsApi, T> call) {
    return lostClaimTold(() -> call(repeat, call));
  }

  <T> T callOfHolderOnce(Duration timeout, Call<JobsApi, T> call) {
    return lostClaimTold(() -> callOnce(timeout, call));
  }

  <T> T callOnce(Duration timeout, Call<JobsApi, T> call) {
    JobsApi api = jobs(timeout);
    return tries(Repeat.IF_NOT_SENT, 1, () -> call.on(api));
  }

  /** A call that is safe to repeat, on an API other than that of jobs. */
  <A, T> T call(Function<ApiClient, A> made, Duration wait, Call<A, T> call) {
    A api = made.apply(client(requestTimeout.plus(wait)));
    return tries(Repeat.SAFELY, triesMax, () -> call.on(api));
  }

  <A, T> T call(Function<ApiClient, A> made, Call<A, T> call) {
    return call(made, Duration.ZERO, call);
  }

  /** One try within the time given, on an API other than that of jobs. */
  <A, T> T callOnce(Function<ApiClient, A> made, Duration timeout, Call<A, T> call) {
    A api = made.apply(client(timeout));
    return tries(Repeat.IF_NOT_SENT, 1, () -> call.on(api));
  }

  /** As often as a call that is safe to repeat is tried, but in no more time than is given, on an API other than that of jobs. */
  <A, T> T callWithin(Function<ApiClient, A> made, Duration most, Call<A, T> call) {
    long untilNanos = System.nanoTime() + most.toNanos();
    return tries(Repeat.SAFELY, triesMax, untilNanos,
        () -> call.on(made.apply(client(Duration.ofNanos(Math.max(1, untilNanos - System.nanoTime()))))));
  }

  byte[] attestation(String jobId) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base() + "/v1/jobs/" + ApiClient.urlEncode(jobId) + "/attestation"))
        .timeout(requestTimeout)
        .header("Accept", "*/*");
    // The generated method would write the bytes to a file of its own.
    return tries(Repeat.SAFELY, triesMax, () -> {
      try {
        HttpRequest.Builder authorized = request.copy();
        bearer.authorize(authorized);
        HttpResponse<byte[]> answer = http.send(authorized.build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() >= ERROR) {
          throw new ApiException(answer.statusCode(), answer.headers(), new String(answer.body(), StandardCharsets.UTF_8));
        }
        return answer.body();
      } catch (IOException noAnswer) {
        throw new ApiException(noAnswer);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new ApiException(interrupted);
      }
    });
  }

  void close() {
    closed.countDown();
  }

  private interface Try<T> {
    T run() throws ApiException;
  }

  private <T> T tries(Repeat repeat, int most, Try<T> call) {
    return tries(repeat, most, System.nanoTime() + Long.MAX_VALUE, call);
  }

  private <T> T tries(Repeat repeat, int most, long untilNanos, Try<T> call) {
    for (int tries = 1; ; tries++) {
      try {
        return call.run();
      } catch (UncheckedIOException noToken) {
        throw new NoAnswerException(Refusal.unavailable("not sent to " + server + ": " + noToken.getCause().getMessage()), noToken);
      } catch (ApiException failed) {
        AgwpException problem = problem(failed);
        if (tries == most || !mayRepeat(repeat, failed) || !pause(tries, failed.getResponseHeaders(), untilNanos - System.nanoTime())) {
          throw problem;
        }
      }
    }
  }

  private static boolean mayRepeat(Repeat repeat, ApiException failed) {
    if (failed.getCode() == TOO_MANY_REQUESTS) {
      // The server says that it did nothing.
      return true;
    }
    if (failed.getCode() == SERVICE_UNAVAILABLE) {
      // The database may have committed before its answer was lost.
      return repeat == Repeat.SAFELY;
    }
    if (failed.getCode() != 0 || causedBy(failed, InterruptedException.class)) {
      return false;
    }
    return repeat == Repeat.SAFELY || causedBy(failed, ConnectException.class);
  }

  /** Before a call is made again that is repeated here no more. False when interrupted or closed, or no time is left after it. */
  boolean pause(long leftNanos) {
    return pause(triesMax, null, leftNanos);
  }

  /**
   * Full jitter: anything up to a bound that doubles, so that many clients do not come back at once. False when interrupted or closed, or
   * no time is left after it.
   */
  private boolean pause(int tries, HttpHeaders answer, long leftNanos) {
    long mostMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS << Math.min(tries - 1, 16));
    long asked = answer == null ? 0 : answer.firstValueAsLong("Retry-After").orElse(0);
    long pauseMs = TimeUnit.SECONDS.toMillis(Math.min(asked, TimeUnit.MILLISECONDS.toSeconds(PAUSE_MS_MAX)))
        + ThreadLocalRandom.current().nextLong(mostMs + 1);
    if (TimeUnit.MILLISECONDS.toNanos(pauseMs) >= leftNanos) {
      return false;
    }
    try {
      return !closed.await(pauseMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static <T> T lostClaimTold(java.util.function.Supplier<T> call) {
    try {
      return call.get();
    } catch (AgwpException refused) {
      if (LostClaimException.isReason(refused.reason()) && (refused.status() == NOT_FOUND || refused.status() == CONFLICT)) {
        throw new LostClaimException(new Refusal(refused.status(), refused.code(), refused.reason(), refused.getMessage(),
            refused.fieldErrors(), refused.requestId()), refused);
      }
      throw refused;
    }
  }

  private AgwpException problem(ApiException failed) {
    if (failed.getCode() == 0) {
      if (causedBy(failed, InterruptedException.class)) {
        Thread.currentThread().interrupt();
      }
      return new NoAnswerException(Refusal.unavailable("no answer from " + server + ": " + why(failed)), failed);
    }
    if (failed.getCode() < ERROR) {
      return new NoAnswerException(
          Refusal.unavailable(server + " answered what is not of its contract: " + failed.getMessage()), failed);
    }
    String requestId = failed.getResponseHeaders() == null ? null
        : failed.getResponseHeaders().firstValue("X-Request-Id").orElse(null);
    JsonNode problem = tree(failed.getResponseBody());
    List<FieldError> errors = new ArrayList<>();
    problem.path("errors").forEach(error ->
        errors.add(new FieldError(error.path("field").asText(), error.path("message").asText())));
    // A proxy on the way may answer with a page of its own.
    String detail = problem.path("detail").asText(server + " answered " + failed.getCode());
    Refusal refusal = new Refusal(failed.getCode(), problem.path("code").asText("internal"),
        problem.path("reason").asText(null), detail, errors, requestId);
    return AccessRefusedException.isStatus(failed.getCode()) ? new AccessRefusedException(refusal, failed) : new AgwpException(refusal, failed);
  }

  private static String why(ApiException failed) {
    if (causedBy(failed, HttpConnectTimeoutException.class)) {
      return "no connection within the time allowed";
    }
    if (causedBy(failed, ConnectException.class)) {
      return "the connection was refused, or the host is not known";
    }
    if (causedBy(failed, HttpTimeoutException.class)) {
      return "it did not come within the time allowed";
    }
    if (causedBy(failed, InterruptedException.class)) {
      return "the caller was interrupted";
    }
    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  private JsonNode tree(String body) {
    try {
      return json.readTree(body == null ? "" : body);
    } catch (JsonProcessingException notJson) {
      return json.createObjectNode();
    }
  }

  private static boolean causedBy(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  private JobsApi jobs(Duration timeout) {
    return jobs.computeIfAbsent(timeout, each -> new JobsApi(client(each)));
  }

  private ApiClient client(Duration timeout) {
    ApiClient client = new ApiClient(HttpClient.newBuilder(), json, base()) {
      @Override
      public HttpClient getHttpClient() {
        return http;
      }
    };
    client.setReadTimeout(timeout);
    client.setRequestInterceptor(bearer::authorize);
    return client;
  }

  private String base() {
    String text = server.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }
}

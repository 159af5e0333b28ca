package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INTERNAL;
import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.METHOD_NOT_ALLOWED;
import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;
import static dev.agwp.server.http.ErrorCode.UNSUPPORTED_MEDIA_TYPE;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.glassfish.grizzly.http.Method;
import org.glassfish.grizzly.http.server.ErrorPageGenerator;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;
import org.glassfish.grizzly.http.util.Header;

/**
 * Stands before Jersey: names each request, and refuses what Grizzly or Jersey would answer with a page of their own.
 */
final class FrontHandler extends HttpHandler {
  static final String REQUEST_ID_HEADER = "X-Request-Id";
  static final String STARTED_NANOS = "agwp.startedNanos";

  private static final Pattern SANE_REQUEST_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
  // RFC 3986: what a path and a query may hold beside letters and digits; everything else must come percent-encoded.
  private static final String URI_MARKS = "._~!$&'()*+,;=:@/?-";
  private static final int ESCAPE_CHARS = 3;
  private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PATCH");

  private final HttpHandler jersey;
  private final Problems problems;
  private final BodyMemory memory;

  FrontHandler(HttpHandler jersey, Problems problems, BodyMemory memory) {
    super("agwp");
    this.jersey = jersey;
    this.problems = problems;
    this.memory = memory;
    setAllowCustomStatusMessage(false);
  }

  @Override
  public void start() {
    super.start();
    jersey.start();
  }

  @Override
  public void destroy() {
    jersey.destroy();
    super.destroy();
  }

  @Override
  public void service(Request request, Response response) throws Exception {
    String given = request.getHeader(REQUEST_ID_HEADER);
    String id = given != null && SANE_REQUEST_ID.matcher(given).matches() ? given : newId();
    request.getRequest().getHeaders().setValue(REQUEST_ID_HEADER).setString(id);
    request.setAttribute(STARTED_NANOS, System.nanoTime());
    request.setAttribute(ClientConnection.PROPERTY, request.getRequest().getConnection());
    response.setHeader(REQUEST_ID_HEADER, id);
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (request.getRequest().isChunked()) {
      // Whoever stands between may read the chunks otherwise, so what comes after this request is not read as another (RFC 9112, 6.1).
      response.setHeader(Header.Connection, "close");
    }
    OpenConnection client = OpenConnection.of(request.getRequest().getConnection());
    request.addAfterServiceListener(answered -> client.isAnswered());
    String principal = client.principal();
    if (principal != null) {
      request.setAttribute(ClientCertificate.PRINCIPAL, principal);
    }
    ApiException refusal = refusal(request);
    if (refusal == null) {
      try {
        jersey.service(request, response);
      } finally {
        CurrentRequest.end();
        memory.release();
      }
    } else {
      refuse(refusal, response);
    }
  }

  /** Unique, and no secret: a secure source of randomness is one for all threads. */
  static String newId() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  /** What Grizzly calls where it would write an HTML page. */
  ErrorPageGenerator errorPages() {
    return (request, status, reason, description, exception) -> {
      ApiException refusal = ofStatus(status);
      Response response = request.getResponse();
      describe(refusal, response);
      if (response.getHeader(REQUEST_ID_HEADER) == null) {
        response.setHeader(REQUEST_ID_HEADER, newId());
      }
      return new String(problems.body(refusal, Format.JSON), java.nio.charset.StandardCharsets.UTF_8);
    };
  }

  private static ApiException ofStatus(int status) {
    if (status < INTERNAL.status()) {
      return new ApiException(INVALID_ARGUMENT, "the request is malformed: its path or a header cannot be read");
    }
    // Grizzly answers so what comes on a connection that is still open while it stops.
    return status == UNAVAILABLE.status()
        ? new ApiException(UNAVAILABLE, "this server is stopping and has not looked at the request; send it again")
        : new ApiException(INTERNAL, "the server failed");
  }

  private static void describe(ApiException refusal, Response response) {
    response.setStatus(refusal.code().status());
    response.setContentType(Format.JSON.problemType().toString());
    if (Problems.mayBeRetried(refusal.code())) {
      response.setHeader(Header.RetryAfter, String.valueOf(refusal.retryAfterSeconds()));
    }
  }

  private static ApiException refusal(Request request) {
    if (request.getRequest().getAttribute(WholeRequests.REFUSAL) instanceof ApiException refused) {
      return refused;
    }
    String uri = request.getRequest().getRequestURIRef().getOriginalRequestURIBC().toString();
    String query = request.getQueryString();
    if (!isSane(uri) || query != null && !isSane(query)) {
      return new ApiException(INVALID_ARGUMENT, "the path or query holds a character or percent-escape that RFC 3986 forbids");
    }
    Method method = request.getMethod();
    if (!METHODS.contains(method.getMethodString())) {
      return new ApiException(METHOD_NOT_ALLOWED, "the method must be one of " + String.join(", ", METHODS));
    }
    String coding = request.getHeader(Header.ContentEncoding);
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      return new ApiException(UNSUPPORTED_MEDIA_TYPE, "Content-Encoding must be absent: bodies are read as they come");
    }
    return null;
  }

  // Not a regular expression: Java's would go as deep as the path is long.
  private static boolean isSane(String uri) {
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c == '%') {
        if (i + ESCAPE_CHARS > uri.length() || !isHex(uri.charAt(i + 1)) || !isHex(uri.charAt(i + 2))) {
          return false;
        }
      } else if (!isLetterOrDigit(c) && URI_MARKS.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetterOrDigit(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }

  private static boolean isHex(char c) {
    return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
  }

  private void refuse(ApiException refusal, Response response) throws IOException {
    byte[] body = problems.body(refusal, Format.JSON);
    describe(refusal, response);
    response.setContentLength(body.length);
    if (refusal.code() == METHOD_NOT_ALLOWED) {
      response.setHeader(Header.Allow, String.join(", ", METHODS));
    }
    // What is left of the request is not read, so the connection cannot be used again.
    response.setHeader(Header.Connection, "close");
    response.getOutputStream().write(body);
    response.finish();
  }
}

package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.PAYLOAD_TOO_LARGE;
import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;

import java.time.Duration;

/** The contract's limit for a request body, and the refusals of {@link WholeRequests}. */
final class BodyLimit {
  static final int BYTES_MAX = 4 * 1024 * 1024;

  private BodyLimit() {}

  static ApiException tooSlow(Duration limit) {
    return new ApiException(INVALID_ARGUMENT,
        "the request body did not come whole within " + limit.toMillis() / 1000.0 + " seconds; send it again");
  }

  static ApiException tooLarge() {
    return new ApiException(PAYLOAD_TOO_LARGE, "the request body must be at most " + BYTES_MAX + " bytes");
  }

  static ApiException tooManyUnfinished() {
    return new ApiException(UNAVAILABLE, "too many request bodies are on their way at once; nothing was done, send it again");
  }

  static ApiException tooMuchAtOnce() {
    return new ApiException(UNAVAILABLE, "too many large requests are worked on at once; nothing was done, send it again");
  }
}

package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.PAYLOAD_TOO_LARGE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** Reads a request body up to the contract's limit, whether its length was announced or comes in chunks. */
final class BodyLimit {
  static final int BYTES_MAX = 4 * 1024 * 1024;
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final long SECONDS_MAX = 30;

  private BodyLimit() {}

  static byte[] readFully(InputStream body) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
        bytes.write(buffer, 0, count);
        if (bytes.size() > BYTES_MAX) {
          throw tooLarge();
        }
        // Each read has a time-out of its own; a caller that sends a byte now and then would hold the thread for ever.
        if (System.nanoTime() - deadlineNanos > 0) {
          throw tooSlow();
        }
      }
    } catch (IOException cutShort) {
      throw tooSlow();
    }
    return bytes.toByteArray();
  }

  private static ApiException tooSlow() {
    return new ApiException(INVALID_ARGUMENT, "the request body did not come whole within " + SECONDS_MAX + " seconds; send it again");
  }

  static ApiException tooLarge() {
    return new ApiException(PAYLOAD_TOO_LARGE, "the request body must be at most " + BYTES_MAX + " bytes");
  }
}

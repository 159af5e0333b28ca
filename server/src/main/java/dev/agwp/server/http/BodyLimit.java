package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.PAYLOAD_TOO_LARGE;

import java.io.IOException;
import java.io.InputStream;

/** Reads a request body up to the contract's limit, whether its length was announced or comes in chunks. */
final class BodyLimit {
  static final int BYTES_MAX = 4 * 1024 * 1024;

  private BodyLimit() {}

  static byte[] readFully(InputStream body) {
    byte[] bytes;
    try {
      bytes = body.readNBytes(BYTES_MAX + 1);
    } catch (IOException cutShort) {
      throw new ApiException(INVALID_ARGUMENT, "the request body did not come whole in time; send it again");
    }
    if (bytes.length > BYTES_MAX) {
      throw tooLarge();
    }
    return bytes;
  }

  static ApiException tooLarge() {
    return new ApiException(PAYLOAD_TOO_LARGE, "the request body must be at most " + BYTES_MAX + " bytes");
  }
}

package dev.agwp.sdk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The token that a client sends. Nothing that is thrown, logged or printed here holds it. */
final class Bearer {
  /** RFC 6750, 2.1. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
  private static final String RULE = "a token must be characters of A-Z a-z 0-9 . _ ~ + / - with = at its end";
  private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[?(?:::1|0:0:0:0:0:0:0:1)]?");

  private final Supplier<String> source;

  /** @param source null to send none */
  Bearer(Supplier<String> source) {
    this.source = source;
  }

  static String checked(String token) {
    if (!isToken(token)) {
      throw new IllegalArgumentException(RULE);
    }
    return token;
  }

  private static boolean isToken(String text) {
    return text != null && TOKEN.matcher(text).matches();
  }

  /** Whether what is sent there cannot be read on the way. */
  static boolean isSafeAt(URI server) {
    return "https".equals(server.getScheme()) || LOOPBACK.matcher(server.getHost()).matches();
  }

  /** @throws UncheckedIOException when there is no token to send now: the call is not made, as if the server could not be reached */
  void authorize(HttpRequest.Builder request) {
    if (source != null) {
      request.header("Authorization", "Bearer " + current());
    }
  }

  private String current() {
    String token;
    try {
      token = source.get();
    } catch (RuntimeException failed) {
      // The source is somebody else's code, and a heartbeat must go on with the next try. What it says may name the token.
      throw new UncheckedIOException(new IOException("the source of the token failed: " + failed.getClass().getSimpleName(), failed));
    }
    if (!isToken(token)) {
      throw new UncheckedIOException(new IOException("the source of the token gave none: " + RULE));
    }
    return token;
  }
}

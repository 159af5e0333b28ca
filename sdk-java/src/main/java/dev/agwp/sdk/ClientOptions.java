package dev.agwp.sdk;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;

/** What the options of a client must be, and the connection that they make. */
final class ClientOptions {
  private static final int TRIES_MAX_MAX = 100;

  private ClientOptions() {}

  static URI server(URI server) {
    if (server.getHost() == null || !List.of("http", "https").contains(String.valueOf(server.getScheme()))) {
      throw new IllegalArgumentException("the server must be an http or https URL such as http://127.0.0.1:8080, got " + server);
    }
    return server;
  }

  static int tries(int tries) {
    if (tries < 1 || tries > TRIES_MAX_MAX) {
      throw new IllegalArgumentException("triesMax must be 1.." + TRIES_MAX_MAX + ", got " + tries);
    }
    return tries;
  }

  static Duration positive(String name, Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(name + " must be more than 0, got " + timeout);
    }
    return timeout;
  }

  /** @param sslContext null for what the Java runtime trusts */
  static HttpClient connection(Duration connectTimeout, SSLContext sslContext) {
    // The server speaks HTTP/1.1 only; offering more costs a header on every request.
    HttpClient.Builder http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connectTimeout);
    if (sslContext != null) {
      http.sslContext(sslContext);
    }
    return http.build();
  }
}

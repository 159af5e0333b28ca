package dev.agwp.server.access;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.concurrent.TimeUnit;

/** An issuer's JWK set behind a URL that the operator named. What answers there is not trusted to be short or quick. */
final class KeysBehindUrl implements JWKSetSource<SecurityContext> {
  private static final int BYTES_MAX = 256 * 1024;
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final int CONNECT_MS_MAX = 2_000;
  private static final int READ_MS_MAX = 2_000;
  private static final long ALL_SECONDS_MAX = 5;
  private static final int OK = 200;

  private final String url;

  KeysBehindUrl(String url) {
    this.url = url;
  }

  static boolean isUrl(String jwks) {
    return jwks.startsWith("https://") || jwks.startsWith("http://");
  }

  @Override
  public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long currentTime, SecurityContext context) throws KeySourceException {
    try {
      return JWKSet.parse(fetch());
    } catch (IOException | ParseException unreadable) {
      throw new JWKSetUnavailableException(url + ": " + unreadable.getMessage(), unreadable);
    }
  }

  private String fetch() throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setConnectTimeout(CONNECT_MS_MAX);
    connection.setReadTimeout(READ_MS_MAX);
    // The operator named this place and no other.
    connection.setInstanceFollowRedirects(false);
    connection.setRequestProperty("Accept", "application/jwk-set+json, application/json");
    try {
      if (connection.getResponseCode() != OK) {
        throw new IOException("it answers " + connection.getResponseCode());
      }
      return readAll(connection.getInputStream());
    } finally {
      connection.disconnect();
    }
  }

  private static String readAll(InputStream body) throws IOException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(ALL_SECONDS_MAX);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
      bytes.write(buffer, 0, count);
      if (bytes.size() > BYTES_MAX) {
        throw new IOException("it answers more than " + BYTES_MAX + " bytes");
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException("it did not answer within " + ALL_SECONDS_MAX + " seconds");
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {}
}

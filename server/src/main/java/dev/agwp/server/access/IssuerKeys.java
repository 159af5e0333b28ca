package dev.agwp.server.access;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.SecurityContext;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The public keys of one issuer, read again now and then. A {@code kid} that is not among them lets them be read at once, but not more
 * often than the limit says, so that tokens with made-up ones cannot make this server hammer the issuer's.
 */
final class IssuerKeys {
  private static final long FILE_IS_READ_EVERY_MS = 2_000;
  private static final long FILE_IS_READ_AT_MOST_EVERY_MS = 1_000;
  private static final long URL_IS_READ_EVERY_MS = TimeUnit.MINUTES.toMillis(5);
  private static final long URL_IS_READ_AT_MOST_EVERY_MS = TimeUnit.SECONDS.toMillis(30);
  /** A token waits so long for the keys to be read for another. */
  private static final long WAIT_MS_MAX = 10_000;
  /** So long the keys that were read last are good where they cannot be read again. */
  private static final long OUTAGE_MS_MAX = TimeUnit.HOURS.toMillis(1);

  private final JWKSource<SecurityContext> source;
  private volatile boolean haveBeenRead;

  private IssuerKeys(JWKSetSource<SecurityContext> source, long everyMs, long atMostEveryMs) {
    this.source = JWKSourceBuilder.create(source)
        .refreshAheadCache(false)
        .cache(everyMs, WAIT_MS_MAX)
        .rateLimited(atMostEveryMs)
        .outageTolerant(OUTAGE_MS_MAX)
        .build();
  }

  /**
   * The keys in a file or behind a URL.
   *
   * @throws BadAccessOptions when it is a file and holds no keys; a URL is first asked when a token comes
   */
  static IssuerKeys of(String jwks) {
    if (KeysBehindUrl.isUrl(jwks)) {
      return new IssuerKeys(new KeysBehindUrl(jwks), URL_IS_READ_EVERY_MS, URL_IS_READ_AT_MOST_EVERY_MS);
    }
    return new IssuerKeys(KeysInFile.readable(jwks), FILE_IS_READ_EVERY_MS, FILE_IS_READ_AT_MOST_EVERY_MS);
  }

  /** Those that can have made this signature: of its algorithm, and of its {@code kid} where it has one. */
  List<JWK> of(JWSHeader header) throws KeySourceException {
    try {
      List<JWK> found = source.get(new JWKSelector(JWKMatcher.forJWSHeader(header)), null);
      haveBeenRead = true;
      return found;
    } catch (RateLimitReachedException readJustNow) {
      if (haveBeenRead) {
        return List.of();
      }
      throw readJustNow;
    }
  }
}

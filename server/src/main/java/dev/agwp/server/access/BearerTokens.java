package dev.agwp.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.storage.Database;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whose the tokens are that {@code token create} made. What the database said is believed for two seconds (ADR-0017). */
final class BearerTokens {
  private static final Logger LOG = LoggerFactory.getLogger(BearerTokens.class);
  private static final Duration BELIEVED_FOR = Duration.ofSeconds(2);
  private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int TOKENS_KEPT_MAX = 10_000;
  /** Compared with where there is no such token, so that both take the same way. */
  private static final String NO_HASH = "0".repeat(64);

  private final Database database;
  private final Cache<String, Known> known =
      Caffeine.newBuilder().maximumSize(TOKENS_KEPT_MAX).expireAfterWrite(BELIEVED_FOR).build();
  private final AtomicLong nextLookNanos = new AtomicLong(System.nanoTime() + LOOK_EVERY_NANOS);
  private volatile boolean anyEver;

  BearerTokens(Database database) {
    this.database = database;
    // Before the first call: it must not be let in because nobody has looked yet.
    anyEver = look();
  }

  /**
   * What the database said of an id.
   *
   * @param row null when there is no such token
   * @param useToBeStored until one of its callers has done so
   */
  private record Known(TokenRow row, AtomicBoolean useToBeStored) {}

  /** @throws ApiException {@code unauthenticated}, in the same words for a token that is unknown and for a secret that is wrong */
  Caller caller(String text) {
    TokenText token = TokenText.parse(text);
    if (token == null) {
      throw Authentication.notValid();
    }
    Known found = known.get(token.id(), this::read);
    TokenRow row = found.row();
    if (!isEqual(token.hash(), row == null ? NO_HASH : row.secretHash())) {
      throw Authentication.notValid();
    }
    // From here on the caller has shown that the token is its own, and may be told what has become of it.
    if (row.isRevoked()) {
      throw Authentication.unauthenticated("the token " + token + " was revoked; ask for a new one");
    }
    if (row.hasExpired()) {
      throw Authentication.unauthenticated("the token " + token + " has expired; ask for a new one");
    }
    if (found.useToBeStored().compareAndSet(true, false)) {
      storeUse(row.id());
    }
    return row.caller();
  }

  private Known read(String id) {
    TokenRow row = database.read(tx -> tx.tokens().find(id));
    return new Known(row, new AtomicBoolean(row != null && row.isUseToBeStored()));
  }

  private void storeUse(String id) {
    try {
      database.inTransaction(tx -> tx.tokens().used(id));
    } catch (ApiException unavailable) {
      // The caller is who it is, whether that is written down or not.
      LOG.debug("the use of token {} was not stored: {}", id, unavailable.getMessage());
    }
  }

  private static boolean isEqual(String given, String stored) {
    return MessageDigest.isEqual(given.getBytes(StandardCharsets.US_ASCII), stored.getBytes(StandardCharsets.US_ASCII));
  }

  /** Whether there is a token or ever was one. It is looked for once a second until one is found. */
  boolean anyEver() {
    long now = System.nanoTime();
    long next = nextLookNanos.get();
    if (!anyEver && now - next >= 0 && nextLookNanos.compareAndSet(next, now + LOOK_EVERY_NANOS)) {
      anyEver = look();
    }
    return anyEver;
  }

  private boolean look() {
    return database.read(tx -> tx.tokens().anyEver());
  }
}

package dev.agwp.server.access;

import static dev.agwp.server.http.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.agwp.server.http.ErrorCode.UNAUTHENTICATED;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * Keeps an address from having one bad credential after another checked, each of which costs a look at the database or at a signature. A
 * credential that was good goes on being checked, whatever else its address sends.
 */
final class BadCredentials {
  private static final Duration GOOD_KEPT_FOR = Duration.ofMinutes(10);
  private static final int GOOD_KEPT_MAX = 10_000;
  /** One who has an IPv6 address has all that begin with these bytes of it. */
  private static final int NETWORK_BYTES = 8;

  private final int perMinute;
  private final RateLimit ofAddress;
  /** By the hash of a credential: no secret is kept. */
  private final Cache<String, Boolean> good =
      Caffeine.newBuilder().maximumSize(GOOD_KEPT_MAX).expireAfterAccess(GOOD_KEPT_FOR).build();

  /** @param perMinute 0 for no limit */
  BadCredentials(int perMinute) {
    this.perMinute = perMinute;
    ofAddress = new RateLimit(perMinute, Duration.ofMinutes(1));
  }

  /** @throws ApiException {@code resource_exhausted} when the address has sent too many bad ones, else whatever the check throws */
  Caller checked(InetAddress address, String credential, Supplier<Caller> check) {
    if (ofAddress.isNone()) {
      return check.get();
    }
    String hash = Sha256.hex(credential.getBytes(StandardCharsets.UTF_8));
    String network = network(address);
    int waitSeconds = ofAddress.look(network);
    if (waitSeconds > 0 && good.getIfPresent(hash) == null) {
      throw new ApiException(RESOURCE_EXHAUSTED, "more than " + perMinute
          + " bad credentials a minute came from this address; wait as Retry-After says").retryAfter(waitSeconds);
    }
    try {
      Caller caller = check.get();
      good.put(hash, true);
      return caller;
    } catch (ApiException refusal) {
      if (refusal.code() == UNAUTHENTICATED) {
        good.invalidate(hash);
        ofAddress.count(network);
      }
      throw refusal;
    }
  }

  private static String network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, NETWORK_BYTES));
  }
}

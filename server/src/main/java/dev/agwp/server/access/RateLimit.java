package dev.agwp.server.access;

import static dev.agwp.server.http.ErrorCode.RESOURCE_EXHAUSTED;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.agwp.server.http.ApiException;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets each principal make so many requests a second, and as many at once after a second of rest; on this server alone. */
final class RateLimit {
  /** A principal that was forgotten begins anew, with a whole second's worth. */
  private static final int PRINCIPALS_KEPT_MAX = 10_000;

  private final int perSecond;
  private final Cache<String, Bucket> buckets;

  /** @param perSecond 0 for no limit */
  RateLimit(int perSecond) {
    this.perSecond = perSecond;
    buckets = Caffeine.newBuilder().maximumSize(PRINCIPALS_KEPT_MAX).expireAfterAccess(Duration.ofMinutes(1)).build();
  }

  /** @throws ApiException {@code resource_exhausted} when the principal has used up what it has */
  void count(String principal) {
    if (perSecond == 0) {
      return;
    }
    ConsumptionProbe probe = buckets.get(principal, name -> bucket()).tryConsumeAndReturnRemaining(1);
    if (!probe.isConsumed()) {
      long waitSeconds = TimeUnit.NANOSECONDS.toSeconds(probe.getNanosToWaitForRefill()) + 1;
      throw new ApiException(RESOURCE_EXHAUSTED, "the principal " + principal + " makes more than " + perSecond
          + " requests a second; wait as Retry-After says").retryAfter((int) waitSeconds);
    }
  }

  private Bucket bucket() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
        .build();
  }
}

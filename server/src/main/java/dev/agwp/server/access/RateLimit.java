package dev.agwp.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets each name have so much in a time, and as much at once after as long a rest; on this server alone. */
final class RateLimit {
  /** A name that was forgotten begins anew, with all that it may have. */
  private static final int NAMES_KEPT_MAX = 10_000;
  private static final Duration KEPT_FOR = Duration.ofMinutes(1);

  private final int most;
  private final Duration within;
  private final Cache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(NAMES_KEPT_MAX).expireAfterAccess(KEPT_FOR).build();

  /**
   * One that has counted nothing yet.
   *
   * @param most 0 for no limit
   * @param within a minute at most, for which names are kept
   */
  RateLimit(int most, Duration within) {
    this.most = most;
    this.within = within;
  }

  boolean isNone() {
    return most == 0;
  }

  /** Counts one of the name; 0 when that was in the limit, else how many seconds later it will be. */
  int count(String name) {
    return isNone() ? 0 : seconds(bucket(name).tryConsumeAndReturnRemaining(1).getNanosToWaitForRefill());
  }

  /** As {@link #count}, and counts nothing. */
  int look(String name) {
    return isNone() ? 0 : seconds(bucket(name).estimateAbilityToConsume(1).getNanosToWaitForRefill());
  }

  private static int seconds(long nanos) {
    return nanos == 0 ? 0 : (int) TimeUnit.NANOSECONDS.toSeconds(nanos) + 1;
  }

  private Bucket bucket(String name) {
    return buckets.get(name, unknown -> Bucket.builder()
        .addLimit(limit -> limit.capacity(most).refillGreedy(most, within))
        .build());
  }
}

package dev.agwp.server.storage;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Queues that are in the database, so that an enqueue need not see to it. Each is looked at again after a minute: a database may lose rows. */
final class KnownQueues {
  private static final int KEPT_MAX = 10_000;
  private static final Duration KEPT_FOR = Duration.ofMinutes(1);

  private final Cache<String, Boolean> known;

  KnownQueues(Ticker nanos) {
    known = Caffeine.newBuilder().ticker(nanos).maximumSize(KEPT_MAX).expireAfterWrite(KEPT_FOR).build();
  }

  /** Those of which that is not known, in one order everywhere: who inserts the same ones waits for another, and never in a circle. */
  List<String> unknownOf(Collection<String> names) {
    return names.stream().filter(name -> known.getIfPresent(name) == null).distinct().sorted().toList();
  }

  /** Called after the commit that stored them. */
  void add(Collection<String> names) {
    names.forEach(name -> known.put(name, true));
  }
}

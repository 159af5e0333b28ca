package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class KnownQueuesTest {

  @Test
  void a_known_queue_is_looked_at_again_after_a_minute_as_a_database_may_lose_rows() {
    AtomicLong nanos = new AtomicLong();
    KnownQueues queues = new KnownQueues(nanos::get);
    queues.add(List.of("b"));

    assertThat(queues.unknownOf(List.of("c", "b", "a", "c"))).containsExactly("a", "c");
    nanos.addAndGet(Duration.ofSeconds(59).toNanos());
    assertThat(queues.unknownOf(List.of("b"))).isEmpty();
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(queues.unknownOf(List.of("b"))).containsExactly("b");
  }
}

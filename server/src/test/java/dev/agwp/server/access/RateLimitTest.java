package dev.agwp.server.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

final class RateLimitTest {

  @EveryDatabase
  void a_principal_above_its_rate_is_told_when_to_come_again_and_the_others_are_served(TestDatabase database) {
    try (database) {
      Api api = database.serve(new AccessOptions(false, false, List.of(), 5, 0, Set.of()));
      Api busy = api.as(database.aToken("busy", Scope.values()));
      Api busyToo = api.as(database.aToken("busy", Scope.values()));
      Api calm = api.as(database.aToken("calm", Scope.values()));

      List<CompletableFuture<Api.Answer>> calls = IntStream.range(0, 40)
          .mapToObj(i -> (i % 2 == 0 ? busy : busyToo).postLater("/v1/jobs", "{\"queue\": \"q\"}")).toList();

      List<Api.Answer> refused = calls.stream().map(CompletableFuture::join).filter(answer -> answer.status() != 201).toList();
      assertThat(refused).isNotEmpty().allSatisfy(answer -> {
        answer.refused(429, "resource_exhausted");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
      });
      assertThat(database.number("select count(*) from job")).isEqualTo(40 - refused.size());
      calm.get("/v1/queues").ok();
      await().atMost(3, SECONDS).until(() -> busy.get("/v1/queues").status() == 200);
    }
  }
}

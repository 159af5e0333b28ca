package dev.agwp.server.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BadCredentialsTest {
  private static final int PER_MINUTE = 30;

  @EveryDatabase
  void an_address_that_keeps_sending_bad_credentials_is_told_when_to_come_again_and_good_ones_of_it_go_on(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", Scope.values());
      Api api = database.serve(new AccessOptions(false, false, List.of(), 0, PER_MINUTE, Set.of()));
      Api good = api.as(token);
      good.aQueuedJob();
      IntStream.range(0, PER_MINUTE).forEach(i -> bad(api, i).get("/v1/queues").refused(401, "unauthenticated"));
      List<String> before = database.everything();

      Api.Answer refused = bad(api, PER_MINUTE).post("/v1/jobs", "{\"queue\": \"q\"}");

      refused.refused(429, "resource_exhausted");
      assertThat(refused.header("Retry-After")).isIn("1", "2");
      assertThat(database.everything()).isEqualTo(before);
      api.get("/v1/queues").refused(401, "unauthenticated");
      good.aQueuedJob();
      await().atMost(10, SECONDS).until(() -> bad(api, PER_MINUTE).get("/v1/queues").status() == 401);
    }
  }

  @Test
  void callers_without_a_credential_use_up_nothing_of_their_address() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      String token = database.aToken("ci", Scope.READ);
      Api api = database.serve(new AccessOptions(false, false, List.of(), 0, 1, Set.of()));

      IntStream.range(0, 5).forEach(i -> api.get("/v1/queues").refused(401, "unauthenticated"));

      api.as(token).get("/v1/queues").ok();
    }
  }

  @Test
  void other_addresses_are_not_held_to_it_and_all_of_one_ipv6_network_are_one() throws UnknownHostException {
    BadCredentials limit = new BadCredentials(1);
    assertRefused(limit, "192.0.2.1", ErrorCode.UNAUTHENTICATED);
    assertRefused(limit, "192.0.2.1", ErrorCode.RESOURCE_EXHAUSTED);
    assertRefused(limit, "192.0.2.2", ErrorCode.UNAUTHENTICATED);
    assertRefused(limit, "2001:db8::1", ErrorCode.UNAUTHENTICATED);
    assertRefused(limit, "2001:db8::ffff:2", ErrorCode.RESOURCE_EXHAUSTED);
    assertRefused(limit, "2001:db8:0:1::1", ErrorCode.UNAUTHENTICATED);

    assertThat(limit.checked(InetAddress.getByName("192.0.2.3"), "good", () -> Caller.LOCAL)).isEqualTo(Caller.LOCAL);
    assertThat(limit.checked(InetAddress.getByName("192.0.2.1"), "good", () -> Caller.LOCAL)).isEqualTo(Caller.LOCAL);
    assertThatThrownBy(() -> limit.checked(InetAddress.getByName("192.0.2.1"), "good", BadCredentialsTest::noLonger))
        .isInstanceOfSatisfying(ApiException.class, refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    assertRefused(limit, "192.0.2.1", ErrorCode.RESOURCE_EXHAUSTED);
  }

  private static void assertRefused(BadCredentials limit, String address, ErrorCode code) {
    assertThatThrownBy(() -> limit.checked(InetAddress.getByName(address), "bad", BadCredentialsTest::noLonger)).as(address)
        .isInstanceOfSatisfying(ApiException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  private static Caller noLonger() {
    throw Authentication.notValid();
  }

  /** Each of another id, or the server would know by now that there is no such token. */
  private static Api bad(Api api, int which) {
    return api.as("agwp_%016x_%s".formatted(which, "A".repeat(43)));
  }
}

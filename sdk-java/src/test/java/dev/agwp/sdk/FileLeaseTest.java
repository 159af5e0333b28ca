package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.model.IntegrateRequest;
import dev.agwp.sdk.model.Integration;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.ReleaseLeaseRequest;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileLeaseTest {
  private static final String DIGEST = "sha256:" + "ab".repeat(32);

  @TempDir
  private Path folder;
  private ServerProcess server;
  private FaultProxy proxy;
  private AgwpClient client;
  private final LinkedBlockingQueue<String> losses = new LinkedBlockingQueue<>();

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    proxy = new FaultProxy(server.uri());
    client = AgwpClient.builder(proxy.uri()).build();
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
    server.close();
  }

  @Test
  void a_lease_is_renewed_while_it_is_open_and_given_back_when_it_is_closed() {
    try (FileLease lease = lease("alice", 6).acquire()) {
      OffsetDateTime first = lease.lease().getExpiresAt();
      await().atMost(Duration.ofSeconds(60)).until(() -> stored().getExpiresAt().isAfter(first.plusSeconds(3)));
      assertThat(stored().getState()).isEqualTo("held");
      assertThat(lease.isLost()).isFalse();
    }
    assertThat(stored().getState()).isEqualTo("released");
    assertThat(losses).isEmpty();
  }

  @Test
  void a_lease_that_somebody_else_ended_is_told_lost_once_and_not_given_back() throws InterruptedException {
    try (FileLease lease = lease("alice", 6).acquire()) {
      client.releaseLease(lease.lease().getLeaseId(), new ReleaseLeaseRequest().holder("alice").fencingToken(lease.fencingToken()));

      assertThat(losses.poll(60, TimeUnit.SECONDS)).contains("released");
      assertThat(lease.isLost()).isTrue();
    }
    assertThat(losses).isEmpty();
    assertThat(proxy.seen().stream().filter(request -> request.line().contains("/release"))).hasSize(1);
  }

  @Test
  void a_lease_is_lost_once_it_has_expired_while_the_server_cannot_be_reached_and_not_before() throws InterruptedException {
    try (FileLease lease = lease("alice", 3).acquire()) {
      long held = System.nanoTime();
      proxy.faults(request -> Fault.DROP_REQUEST);

      assertThat(losses.poll(60, TimeUnit.SECONDS)).contains("could not be renewed");
      assertThat(Duration.ofNanos(System.nanoTime() - held)).isBetween(Duration.ofMillis(1900), Duration.ofSeconds(20));
      assertThat(lease.isLost()).isTrue();
    }
  }

  @Test
  void a_renewal_without_an_answer_is_no_loss() {
    AtomicInteger renewals = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/renew") && renewals.incrementAndGet() % 2 == 1 ? Fault.DROP_ANSWER : Fault.PASS);
    try (FileLease lease = lease("alice", 9).acquire()) {
      await().atMost(Duration.ofSeconds(60)).until(() -> renewals.get() >= 4);

      assertThat(lease.isLost()).isFalse();
    }
    assertThat(losses).isEmpty();
  }

  @Test
  void a_lease_whose_answer_was_lost_is_not_stranded() {
    AtomicInteger acquires = new AtomicInteger();
    proxy.faults(request -> request.line().contains("POST /v1/leases ") && acquires.incrementAndGet() == 1 ? Fault.DROP_ANSWER : Fault.PASS);

    try (FileLease lease = lease("alice", 60).acquire()) {
      assertThat(lease.fencingToken()).isEqualTo(1);
    }
    assertThat(acquires).hasValue(2);
  }

  @Test
  void who_waits_gets_the_lease_when_it_is_free_and_is_told_who_holds_it_when_it_stays_taken() {
    FileLease first = lease("alice", 60).acquire();
    AgwpException refused = catchThrowableOfType(AgwpException.class, () -> lease("bob", 60).maxWait(Duration.ofSeconds(1)).acquire());
    assertThat(refused.reason()).isEqualTo("lease_held");
    assertThat(refused).hasMessageContaining("local|alice");

    CompletableFuture<FileLease> waiting = CompletableFuture.supplyAsync(() -> lease("bob", 60).maxWait(Duration.ofMinutes(5)).acquire());
    await().atMost(Duration.ofSeconds(60)).until(() -> proxy.seen().stream().anyMatch(request -> request.body().contains("\"wait_seconds\":60")));
    first.close();

    try (FileLease second = waiting.orTimeout(60, TimeUnit.SECONDS).join()) {
      assertThat(second.fencingToken()).isEqualTo(2);
    }
  }

  @Test
  void a_change_is_integrated_once_though_its_answer_was_lost() {
    AtomicInteger integrates = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/v1/integrations") && integrates.incrementAndGet() == 1 ? Fault.DROP_ANSWER : Fault.PASS);
    try (FileLease lease = lease("alice", 60).acquire()) {
      Integration integration = client.integrate(new IntegrateRequest().repo("r").holder("alice").changeDigest(DIGEST)
          .paths(List.of("a/b")).fencingTokens(List.of(lease.fencingToken())));

      assertThat(integration.getSequence()).isEqualTo(1);
      assertThat(client.getIntegration(integration.getIntegrationId())).isEqualTo(integration);
      assertThat(client.listIntegrations("r", null, null).getIntegrations()).containsExactly(integration);
    }
  }

  @Test
  void who_asks_a_server_that_does_not_answer_gives_up_after_10_seconds() throws IOException {
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        AgwpClient asking = AgwpClient.builder(URI.create("http://127.0.0.1:" + hung.getLocalPort())).build()) {
      long began = System.nanoTime();

      AgwpException gaveUp = catchThrowableOfType(AgwpException.class,
          () -> FileLease.builder(asking, "r", "alice", List.of("a/")).maxWait(Duration.ofDays(1)).acquire());

      assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(9_900), Duration.ofSeconds(20));
      assertThat(gaveUp).isInstanceOf(NoAnswerException.class);
    }
  }

  @Test
  void who_waits_when_the_server_stops_answering_gives_up_10_seconds_after_the_wait() {
    lease("alice", 3600).acquire();
    long began = System.nanoTime();
    CompletableFuture<AgwpException> waiting = CompletableFuture.supplyAsync(() -> catchThrowableOfType(AgwpException.class,
        () -> lease("bob", 60).maxWait(Duration.ofSeconds(3)).acquire()));
    await().atMost(Duration.ofSeconds(60)).until(() -> proxy.count("POST /v1/leases ") == 3);

    server.suspend();

    assertThat(waiting.orTimeout(60, TimeUnit.SECONDS).join()).isInstanceOf(NoAnswerException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(20));
  }

  @Test
  void a_lease_is_given_back_in_5_seconds_or_not_at_all() {
    FileLease lease = lease("alice", 3600).acquire();
    server.suspend();
    long began = System.nanoTime();

    lease.close();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(4_900), Duration.ofSeconds(15));
  }

  @Test
  void a_lease_is_given_back_to_a_server_that_was_away_for_two_seconds() {
    FileLease lease = lease("alice", 3600).acquire();
    long began = System.nanoTime();
    proxy.faults(request -> System.nanoTime() - began < TimeUnit.SECONDS.toNanos(2) ? Fault.DROP_REQUEST : Fault.PASS);

    lease.close();

    assertThat(stored().getState()).isEqualTo("released");
  }

  private FileLease.Builder lease(String holder, int ttlSeconds) {
    return FileLease.builder(client, "r", holder, List.of("a/")).ttlSeconds(ttlSeconds).onLost(losses::add);
  }

  private Lease stored() {
    return client.listLeases("r", null, null).getLeases().get(0);
  }
}

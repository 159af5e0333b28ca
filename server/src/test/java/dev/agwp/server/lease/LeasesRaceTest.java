package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.parallel.Isolated;

/** Many holders at once on overlapping folders; what the tables tell afterwards is held against what must be true at every instant. */
@Isolated("needs the machine for itself")
final class LeasesRaceTest {
  private static final int HOLDERS = 32;
  private static final int ROUNDS = 20;
  private static final List<String> PATHS = List.of("a/", "a/b/", "a/b/c", "a/d", "e/", "e/f", "e/g/h", "i");

  private record Lease(long token, List<String> paths, long from, long until) {
    boolean holdsAt(long ms) {
      return from <= ms && ms < until;
    }

    boolean covers(String path) {
      return paths.stream().anyMatch(leased -> leased.equals(path) || leased.endsWith("/") && path.startsWith(leased));
    }
  }

  @EveryDatabase
  void at_no_instant_do_two_leases_overlap_and_every_integration_had_current_tokens(TestDatabase database)
      throws InterruptedException, ExecutionException {
    List<Api> servers = database.isPostgresql() ? List.of(database.serve(), database.serve()) : List.of(database.serve());
    ExecutorService threads = Executors.newFixedThreadPool(HOLDERS);
    int integrated = 0;
    try {
      List<Callable<Integer>> holders = IntStream.range(0, HOLDERS)
          .<Callable<Integer>>mapToObj(i -> () -> work(Leases.of(servers.get(i % servers.size())), "h" + i, new Random(i)))
          .toList();
      for (Future<Integer> holder : threads.invokeAll(holders)) {
        integrated += holder.get();
      }
    } finally {
      threads.shutdownNow();
    }

    List<Lease> leases = leases(database);
    assertThat(leases).hasSizeGreaterThan(HOLDERS);
    assertThat(leases.stream().map(Lease::token)).containsExactlyElementsOf(LongStream.rangeClosed(1, leases.size()).boxed().toList());
    assertThat(integrated).isPositive();
    assertNoneOverlap(leases);
    assertIntegrationsHadCurrentTokens(database, leases, integrated);
    assertThat(database.number("select count(*) from lease_ticket_path")).isZero();
  }

  /** How often this holder integrated. */
  private static int work(Leases leases, String holder, Random random) {
    int integrated = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<String> paths = List.of(PATHS.get(random.nextInt(PATHS.size())));
      // What is not renewed expires in the middle of the others' work.
      Api.Answer answer = leases.acquire(holder, paths, "\"ttl_seconds\": 1", "\"wait_seconds\": " + random.nextInt(3));
      if (answer.status() == 409) {
        continue;
      }
      JsonNode lease = answer.ok();
      integrated += counted(leases.integrate(lease, paths));
      if (random.nextInt(4) == 0) {
        counted(leases.renew(lease, "\"ttl_seconds\": 1"));
        integrated += counted(leases.integrate(lease, paths));
      }
      if (random.nextInt(3) > 0) {
        counted(leases.release(lease));
        assertThat(leases.integrate(lease, paths).status()).isEqualTo(409);
      }
    }
    return integrated;
  }

  private static int counted(Api.Answer answer) {
    assertThat(answer.status()).as(answer.json().toString()).isIn(200, 201, 409);
    return answer.status() == 409 ? 0 : 1;
  }

  private static List<Lease> leases(TestDatabase database) {
    List<Lease> leases = new ArrayList<>();
    for (String row : database.rows("select fencing_token, paths, acquired_at, "
        + "case when ended_at < expires_at then ended_at else expires_at end from lease where repo = 'r' order by fencing_token")) {
      String[] columns = row.split("\\|");
      leases.add(new Lease(Long.parseLong(columns[0]), JsonList.texts(columns[1]), Long.parseLong(columns[2]), Long.parseLong(columns[3])));
    }
    return leases;
  }

  private static void assertNoneOverlap(List<Lease> leases) {
    for (Lease lease : leases) {
      for (Lease later : leases) {
        if (lease.token < later.token && LeaseModel.overlap(lease.paths, later.paths)) {
          assertThat(lease.until).as(lease + " and " + later).isLessThanOrEqualTo(later.from);
        }
      }
    }
  }

  private static void assertIntegrationsHadCurrentTokens(TestDatabase database, List<Lease> leases, int integrated) {
    List<String> rows = database.rows("select sequence, paths, fencing_tokens, created_at from integration where repo = 'r' order by sequence");
    assertThat(rows).hasSize(integrated);
    long sequence = 0;
    for (String row : rows) {
      String[] columns = row.split("\\|");
      assertThat(Long.parseLong(columns[0])).isEqualTo(++sequence);
      Lease lease = leases.get((int) (JsonList.numbers(columns[2]).get(0) - 1));
      assertThat(JsonList.texts(columns[1])).as(row).allMatch(lease::covers);
      assertThat(lease.holdsAt(Long.parseLong(columns[3]))).as(row + " by " + lease).isTrue();
    }
  }
}

package dev.agwp.server.lease;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Whatever is acquired, renewed, released, integrated and left to expire, in whatever order, the server answers and stores what the model in
 * memory says. A failing walk is printed with its seed.
 */
class LeasesPropertyTest {
  private static TestDatabase sqlite;
  private static TestDatabase postgresql;
  private static Api onSqlite;
  private static Api onPostgresql;

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void the_server_does_what_the_model_says_on_sqlite(@ForAll("walks") List<LeaseWalk.Step> steps) {
    if (sqlite == null) {
      sqlite = TestDatabase.sqlite();
      onSqlite = sqlite.serve();
    }
    new LeaseWalk(sqlite, onSqlite).go(steps);
  }

  @Property(tries = 50, shrinking = ShrinkingMode.BOUNDED)
  void the_server_does_what_the_model_says_on_postgresql(@ForAll("walks") List<LeaseWalk.Step> steps) {
    if (postgresql == null) {
      postgresql = TestDatabase.postgresql();
      onPostgresql = postgresql.serve();
    }
    new LeaseWalk(postgresql, onPostgresql).go(steps);
  }

  @AfterContainer
  static void close() {
    sqlite.close();
    postgresql.close();
  }

  @Provide
  Arbitrary<List<LeaseWalk.Step>> walks() {
    // Few paths at once, or hardly an acquire would be granted; leases of late are called more often than old ones.
    Arbitrary<Integer> pathBits = Arbitraries.of(1, 2, 4, 8, 16, 32, 64, 128, 72, 34, 192, 80);
    return Combinators.combine(Arbitraries.of(LeaseWalk.Kind.class), Arbitraries.of("h1", "h2"), pathBits, Arbitraries.integers().between(0, 9))
        .as(LeaseWalk.Step::new).list().ofMinSize(5).ofMaxSize(40);
  }
}

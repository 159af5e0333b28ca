package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.job.HotStatements;
import dev.agwp.server.job.JobRow;
import dev.agwp.server.queue.QueueMapper;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class DatabaseTest {

  @EveryDatabase
  void work_that_throws_leaves_nothing_behind(TestDatabase file) {
    try (Database database = Database.open(file.url())) {
      assertThatThrownBy(() -> database.inTransaction(tx -> {
        tx.queues().ensure(List.of("q"));
        throw new IllegalStateException("after the write");
      })).hasMessage("after the write");

      assertThat(file.rows("select name from queue")).isEmpty();
    }
  }

  @EveryDatabase
  void an_update_that_returns_its_row_is_undone_with_its_transaction(TestDatabase file) {
    Api api = file.serve();
    String jobId = api.aQueuedJob();
    List<String> before = file.everything();
    try (Database database = Database.open(file.url())) {
      assertThatThrownBy(() -> database.inTransaction(tx -> {
        assertThat(tx.jobs().claim(List.of("q"), HotStatements.claimOf("w", 1), 1)).hasSize(1);
        throw new IllegalStateException("after the claim");
      })).hasMessage("after the claim");

      assertThat(file.everything()).isEqualTo(before);
      assertThat(api.job(jobId).get("attempts").asInt()).isZero();
    }
  }

  @Test
  void a_transaction_that_fails_as_it_commits_stores_nothing_and_says_so() {
    try (TestDatabase file = TestDatabase.postgresql()) {
      Api api = file.serve();
      api.aQueuedJob();
      file.change("create function refuse() returns trigger language plpgsql as $$ begin raise 'refused at the end'; end $$");
      file.change("create constraint trigger refuse after insert on audit_pending deferrable initially deferred "
          + "for each row execute function refuse()");
      List<String> before = file.everything();
      try (Database database = Database.open(file.url())) {
        assertThatThrownBy(() -> database.inTransaction(tx -> {
          assertThat(tx.jobs().claim(List.of("q"), HotStatements.claimOf("w", 1), 1)).hasSize(1);
          tx.audit(Event.of(EventKind.JOB_CLAIMED, tx.auditLog().now()).with(Field.QUEUE, "q"));
          return null;
        })).hasStackTraceContaining("refused at the end");

        assertThat(file.everything()).isEqualTo(before);
        List<JobRow> claimed = database.inTransaction(tx -> tx.jobs().claim(List.of("q"), HotStatements.claimOf("w", 1), 1));
        assertThat(claimed).hasSize(1);
      }
    }
  }

  @Test
  void a_transaction_whose_connection_breaks_is_unavailable_and_the_next_has_another() {
    try (TestDatabase file = TestDatabase.postgresql(); Database database = Database.open(file.url())) {
      Function<Transaction, Object> cut = tx -> {
        int pid = tx.queues().notify(List.of(new QueueMapper.Signal("channel", "name"))).get(0);
        assertThat(file.rows("select pg_terminate_backend(" + pid + ", 20000)")).containsExactly("true");
        return tx.queues().find("q");
      };

      assertThatThrownBy(() -> database.inTransaction(cut)).isInstanceOf(ApiException.class).hasMessageContaining("cannot be reached");
      assertThatThrownBy(() -> database.read(cut)).isInstanceOf(ApiException.class).hasMessageContaining("cannot be reached");
      assertThat(database.<Object>read(tx -> tx.queues().find("q"))).isNull();
    }
  }

  @EveryDatabase
  void a_queue_that_was_undone_with_its_transaction_is_stored_by_the_next(TestDatabase file) {
    try (Database database = Database.open(file.url())) {
      assertThatThrownBy(() -> database.inTransaction(tx -> {
        tx.ensureQueues(List.of("q"));
        throw new IllegalStateException("after the write");
      })).hasMessage("after the write");

      for (int i = 0; i < 2; i++) {
        database.inTransaction(tx -> {
          tx.ensureQueues(List.of("q", "q"));
          return null;
        });
        assertThat(file.rows("select name from queue")).containsExactly("q");
      }
    }
  }

  @Test
  void a_read_repeated_in_one_transaction_sees_what_others_have_committed() {
    try (TestDatabase file = TestDatabase.postgresql(); Database database = Database.open(file.url())) {
      file.serve().aQueuedJob();
      database.read(tx -> {
        assertThat(tx.queues().find("q").paused()).isFalse();
        file.change("update queue set paused = true");
        assertThat(tx.queues().find("q").paused()).isTrue();
        return null;
      });
    }
  }

  @EveryDatabase
  void a_schema_that_is_up_to_date_is_left_alone(TestDatabase file) {
    Database.open(file.url()).close();
    List<String> history = file.rows("select version, success from schema_history");
    Database.open(file.url()).close();

    assertThat(file.rows("select version, success from schema_history")).isEqualTo(history).hasSize(migrations(file));
  }

  @Test
  void replicas_that_start_at_once_bring_the_schema_up_to_date_once() throws InterruptedException, ExecutionException {
    ExecutorService replicas = Executors.newFixedThreadPool(6);
    try (TestDatabase file = TestDatabase.postgresql()) {
      List<Callable<Database>> starts = IntStream.range(0, 6).<Callable<Database>>mapToObj(i -> () -> Database.open(file.url()))
          .toList();
      for (Future<Database> start : replicas.invokeAll(starts)) {
        start.get().close();
      }

      assertThat(file.number("select count(*) from schema_history")).isEqualTo(migrations(file));
    } finally {
      replicas.shutdownNow();
    }
  }

  /** How many files there are to bring a schema up to date. */
  private static int migrations(TestDatabase file) {
    String kind = file.isPostgresql() ? "postgresql" : "sqlite";
    return Path.of("src/main/resources/dev/agwp/server/storage/migrations", kind).toFile().list().length;
  }

  @Test
  void a_database_that_cannot_be_opened_says_why_without_its_password(@TempDir Path folder) throws java.io.IOException {
    assertThatThrownBy(() -> Database.open("jdbc:mysql://host/db?password=secret"))
        .isInstanceOf(CannotOpenDatabase.class).hasMessageContaining("jdbc:sqlite:FILE").hasMessageNotContaining("secret");
    assertThatThrownBy(() -> Database.open("jdbc:sqlite:" + folder.resolve("missing").resolve("agwp.db")))
        .isInstanceOf(CannotOpenDatabase.class);
    Path notADatabase = Files.writeString(folder.resolve("text.db"), "this is no database, whatever its name says. ".repeat(50));
    assertThatThrownBy(() -> Database.open("jdbc:sqlite:" + notADatabase)).isInstanceOf(CannotOpenDatabase.class);
    assertThat(Files.readString(notADatabase)).startsWith("this is no database");
  }
}

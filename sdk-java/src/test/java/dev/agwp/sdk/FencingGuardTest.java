package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.sdk.examples.GuardedWriteExample;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FencingGuardTest {
  private static EmbeddedPostgres postgresql;

  @TempDir
  private Path folder;

  @BeforeAll
  static void start() throws IOException {
    postgresql = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() throws IOException {
    postgresql.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLite", "PostgreSQL"})
  void a_write_is_applied_only_if_its_token_is_not_older_than_the_stored_one(String database) throws SQLException {
    String url = prepared(database);
    assertThat(GuardedWriteExample.write(url, "j1", 1, "first")).isTrue();
    assertThat(GuardedWriteExample.write(url, "j1", 3, "third")).isTrue();
    assertThat(GuardedWriteExample.write(url, "j1", 3, "third again")).isTrue();

    assertThat(GuardedWriteExample.write(url, "j1", 2, "stale")).isFalse();

    assertThat(stored(url, "j1")).isEqualTo("third again");
    assertThat(GuardedWriteExample.write(url, "j2", 1, "another job is fenced by itself")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLite", "PostgreSQL"})
  void writers_of_many_claims_at_once_leave_the_latest(String database)
      throws SQLException, InterruptedException, ExecutionException {
    String url = prepared(database);
    ExecutorService writers = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> writes = LongStream.rangeClosed(1, 40)
          .<Callable<Boolean>>mapToObj(token -> () -> GuardedWriteExample.write(url, "j", token, "token " + token)).toList();
      int admitted = 0;
      for (Future<Boolean> write : writers.invokeAll(writes)) {
        admitted += write.get() ? 1 : 0;
      }
      assertThat(admitted).isPositive();
    } finally {
      writers.shutdownNow();
    }

    assertThat(stored(url, "j")).isEqualTo("token 40");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLite", "PostgreSQL"})
  void a_write_that_is_rolled_back_leaves_the_guard_as_it_was(String database) throws SQLException {
    String url = prepared(database);
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      assertThat(FencingGuard.admits(connection, "j", 5)).isTrue();
      connection.rollback();
    }

    assertThat(GuardedWriteExample.write(url, "j", 4, "fourth")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLite", "PostgreSQL"})
  void misuse_is_refused_with_what_to_do(String database) throws SQLException {
    try (Connection connection = DriverManager.getConnection(prepared(database))) {
      assertThatThrownBy(() -> FencingGuard.admits(connection, "j", 1)).hasMessageContaining("setAutoCommit(false)");
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> FencingGuard.admits(connection, "j", 0)).hasMessageContaining("1..4294967295");
      assertThatThrownBy(() -> FencingGuard.admits(connection, "j", 4294967296L)).hasMessageContaining("1..4294967295");
    }
  }

  private String prepared(String database) throws SQLException {
    String url = database.equals("SQLite") ? "jdbc:sqlite:" + folder.resolve("store.db") : postgresql.getJdbcUrl("postgres", "postgres");
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.execute(FencingGuard.createTable());
      statement.execute("create table if not exists report (job_id text primary key, body text not null)");
      statement.execute("delete from agwp_fencing_guard");
      statement.execute("delete from report");
    }
    return url;
  }

  private static String stored(String url, String jobId) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select body from report where job_id = '" + jobId + "'")) {
      result.next();
      return result.getString(1);
    }
  }
}

package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.server.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class SqliteSettingsTest {

  @Test
  void an_acknowledged_write_survives_a_power_cut_on_every_connection() {
    try (TestDatabase file = TestDatabase.sqlite(); Database database = Database.open(file.url())) {
      Function<Transaction, String> settings =
          tx -> pragma(tx, "journal_mode") + " " + pragma(tx, "synchronous") + " " + pragma(tx, "busy_timeout");

      assertThat(database.inTransaction(settings)).isEqualTo("wal 2 5000");
      assertThat(database.read(settings)).isEqualTo("wal 2 5000");
    }
  }

  @Test
  void a_write_takes_the_write_lock_as_it_begins_so_it_cannot_fail_at_the_upgrade() throws SQLException {
    try (TestDatabase file = TestDatabase.sqlite(); Database database = Database.open(file.url());
        Connection other = file.connect(); Statement statement = other.createStatement()) {
      statement.execute("pragma busy_timeout = 0");

      database.inTransaction(tx -> {
        tx.queues().list(null, "", 1);
        assertThatThrownBy(() -> statement.execute("insert into queue (name, created_at) values ('other', 1)"))
            .hasMessageContaining("SQLITE_BUSY");
        return tx.queues().ensure(List.of("mine"));
      });

      assertThat(file.rows("select name from queue")).containsExactly("mine");
    }
  }

  @Test
  void a_read_neither_writes_nor_waits_for_the_writer() {
    try (TestDatabase file = TestDatabase.sqlite(); Database database = Database.open(file.url())) {
      database.inTransaction(tx -> {
        tx.queues().ensure(List.of("q"));
        assertThat(database.<Object>read(reader -> reader.queues().list(null, "", 10))).asString().isEqualTo("[]");
        return null;
      });

      assertThatThrownBy(() -> database.read(tx -> tx.queues().ensure(List.of("r")))).hasMessageContaining("try again");
      assertThat(file.rows("select name from queue")).containsExactly("q");
    }
  }

  private static String pragma(Transaction tx, String name) {
    try (Statement statement = tx.session().getConnection().createStatement();
        ResultSet result = statement.executeQuery("pragma " + name)) {
      result.next();
      return result.getString(1);
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }
}

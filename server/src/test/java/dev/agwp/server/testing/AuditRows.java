package dev.agwp.server.testing;

import static org.awaitility.Awaitility.await;

import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The audit events of a database, and the hands that tamper with them. */
public final class AuditRows {
  private static final Duration SEALED_WITHIN = Duration.ofSeconds(5);

  private AuditRows() {}

  /** All events in their order, those that wait to be sealed last. */
  public static List<Event> events(TestDatabase database) {
    // In one statement, or an event that is sealed in between would be seen twice or not at all.
    String sql = "select preimage from (select 1 as part, seq as place, preimage from audit_event union all "
        + "select 2, event_id, preimage from audit_pending) as every_event order by part, place";
    try (Connection connection = database.connect(); Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<Event> events = new ArrayList<>();
      while (rows.next()) {
        events.add(Event.read(rows.getBytes(1)).orElseThrow());
      }
      return events;
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** The kinds of all events, in their order. */
  public static List<String> kinds(TestDatabase database) {
    return events(database).stream().map(event -> event.text(Field.KIND)).toList();
  }

  public static void awaitSealed(TestDatabase database) {
    await().atMost(SEALED_WITHIN).until(() -> database.number("select count(*) from audit_pending") == 0);
  }

  /** Takes away what keeps sealed events from being changed, as the owner of a database can. */
  public static void unlock(TestDatabase database) {
    if (database.isPostgresql()) {
      database.change("alter table audit_event disable trigger audit_event_append_only");
    } else {
      database.change("drop trigger audit_event_not_updated");
      database.change("drop trigger audit_event_not_deleted");
    }
  }

  /** Bytes as SQL writes them. */
  public static String sql(TestDatabase database, byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes);
    return database.isPostgresql() ? "'\\x" + hex + "'::bytea" : "x'" + hex + "'";
  }
}

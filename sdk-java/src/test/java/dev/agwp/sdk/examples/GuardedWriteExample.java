package dev.agwp.sdk.examples;

import dev.agwp.sdk.FencingGuard;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A handler's write to a database of its own that a paused worker cannot spoil. */
public final class GuardedWriteExample {
  private GuardedWriteExample() {}

  /** @return false when a later claim has written: nothing was stored */
  public static boolean write(String url, String jobId, long fencingToken, String body) throws SQLException {
    // tag::guard
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      if (!FencingGuard.admits(connection, jobId, fencingToken)) {
        connection.rollback();
        return false;
      }
      try (PreparedStatement write = connection.prepareStatement(
          "insert into report (job_id, body) values (?, ?) on conflict (job_id) do update set body = excluded.body")) {
        write.setString(1, jobId);
        write.setString(2, body);
        write.executeUpdate();
      }
      connection.commit();
      return true;
    }
    // end::guard
  }
}

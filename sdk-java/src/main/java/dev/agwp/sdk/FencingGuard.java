package dev.agwp.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.regex.Pattern;

/**
 * Keeps a stale worker from writing to a database of yours: remembers the largest fencing token seen for a job and lets a write pass only
 * if its token is not older. PostgreSQL, and SQLite 3.24 or later.
 *
 * <p>A token protects only what checks it. Ask {@link #admits} in the transaction of the write, before it, and roll back when it says no;
 * the row it locks makes a successor wait until that transaction ends. The table is made by {@code fencing-guard.sql}, which stands beside
 * this class in the jar; the statement itself is in {@code fencing-guard-admit.sql}, for programs in other languages.
 */
public final class FencingGuard {
  private static final Pattern COMMENT = Pattern.compile("(?m)^--.*$");
  private static final long TOKEN_MAX = 4_294_967_295L;
  private static final String ADMIT = sql("fencing-guard-admit.sql");

  private FencingGuard() {}

  /** The DDL of the guard's table; running it again changes nothing. */
  public static String createTable() {
    return sql("fencing-guard.sql");
  }

  /**
   * Whether the holder of this token may write now; remembers it if so.
   *
   * @param connection in a transaction that also does the write, not in auto-commit
   * @param jobId tokens of different jobs cannot be compared, so each job is fenced by itself
   * @param token {@link ClaimedJob#fencingToken()}, 1 to 4294967295
   * @return false when a later claim of the job has written already: roll back and stop working on the job
   * @throws IllegalArgumentException when the token is out of range
   * @throws IllegalStateException when the connection is in auto-commit, where nothing ties the answer to the write
   */
  public static boolean admits(Connection connection, String jobId, long token) throws SQLException {
    if (token < 1 || token > TOKEN_MAX) {
      throw new IllegalArgumentException("token must be 1.." + TOKEN_MAX + ", got " + token);
    }
    if (connection.getAutoCommit()) {
      throw new IllegalStateException("ask in the transaction of the write: call setAutoCommit(false) first");
    }
    try (PreparedStatement statement = connection.prepareStatement(ADMIT)) {
      statement.setString(1, jobId);
      statement.setLong(2, token);
      return statement.executeUpdate() == 1;
    }
  }

  private static String sql(String name) {
    try (InputStream file = FencingGuard.class.getResourceAsStream(name)) {
      return COMMENT.matcher(new String(file.readAllBytes(), StandardCharsets.UTF_8)).replaceAll("").strip();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}

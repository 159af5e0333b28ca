package dev.agwp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

/** SQLite in the process of its callers, who take turns at its one writer: a transaction and an fsync a call. */
final class BareSqlite implements Contender {
  @Override
  public String name() {
    return "SQLite in process, an fsync a call";
  }

  @Override
  public String version() {
    return "SQLite " + org.sqlite.SQLiteJDBCLoader.getVersion();
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    Path folder = Files.createTempDirectory(Bench.SCRATCH, "sqlite");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bare.db"))) {
      Sql.run(connection, "sqlite-pragmas.sql");
      Sql.run(connection, "sqlite-schema.sql");
      connection.setAutoCommit(false);
      try (PreparedStatement insert = connection.prepareStatement(Sql.positional("sqlite-enqueue.sql"))) {
        insert.setString(1, Agwp.PAYLOAD);
        for (int i = 0; i < jobs; i++) {
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
      try (Writer writer = new Writer(connection)) {
        return Callers.run(jobs, callers, number -> writer.turn());
      }
    }
  }

  /** The one connection that writes, and the statements prepared on it. */
  private static final class Writer implements AutoCloseable {
    // Fair: a caller that goes on at once would starve the others, and the run would be that of one caller.
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Connection connection;
    private final PreparedStatement claim;
    private final PreparedStatement complete;
    private final PreparedStatement attest;

    Writer(Connection connection) throws SQLException {
      this.connection = connection;
      claim = connection.prepareStatement(Sql.positional("sqlite-claim.sql"));
      complete = connection.prepareStatement(Sql.positional("sqlite-complete.sql"));
      attest = connection.prepareStatement(Sql.positional("sqlite-attest.sql"));
    }

    Callers.Caller turn() {
      return new Callers.Caller() {
        @Override
        public int step() throws SQLException {
          long[] job = inTurn(Writer.this::claim);
          return job == null ? 0 : inTurn(() -> complete(job));
        }

        @Override
        public void close() {
          // The connection is everybody's.
        }
      };
    }

    private <T> T inTurn(Call<T> call) throws SQLException {
      turn.lock();
      try {
        T answer = call.run();
        connection.commit();
        return answer;
      } finally {
        turn.unlock();
      }
    }

    /** The id and the number of the claim; null when no job is left. */
    private long[] claim() throws SQLException {
      try (ResultSet job = claim.executeQuery()) {
        return job.next() ? new long[] {job.getLong(1), job.getLong(2)} : null;
      }
    }

    private int complete(long[] job) throws SQLException {
      for (PreparedStatement statement : new PreparedStatement[] {complete, attest}) {
        statement.setLong(1, job[0]);
        statement.setLong(2, job[1]);
      }
      attest.setString(3, BarePostgres.ATTESTATION);
      return complete.executeUpdate() * attest.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      claim.close();
      complete.close();
      attest.close();
    }

    private interface Call<T> {
      T run() throws SQLException;
    }
  }
}

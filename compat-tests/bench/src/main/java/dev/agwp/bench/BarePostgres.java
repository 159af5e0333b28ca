package dev.agwp.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Two statements and nothing around them: what the database alone can do, a connection and a commit a call. */
final class BarePostgres implements Contender {
  static final String ATTESTATION = "a".repeat(1_024);

  private final Postgres postgres;
  private final String name;
  private final Statements statements;

  /** How many jobs the two statements take. */
  enum Statements {
    ONE_JOB {
      @Override
      Callers.Caller caller(Connection connection) throws SQLException {
        return new OneJob(connection);
      }
    },
    MANY_JOBS {
      @Override
      Callers.Caller caller(Connection connection) throws SQLException {
        return new ManyJobs(connection);
      }
    };

    abstract Callers.Caller caller(Connection connection) throws SQLException;
  }

  BarePostgres(Postgres postgres, String name, Statements statements) {
    this.postgres = postgres;
    this.name = name;
    this.statements = statements;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return "pgjdbc " + org.postgresql.util.DriverInfo.DRIVER_VERSION;
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    try (Postgres.Database database = postgres.create()) {
      fill(database, jobs);
      return Callers.run(jobs, callers, number -> statements.caller(database.connect()));
    }
  }

  static void fill(Postgres.Database database, int jobs) throws SQLException {
    try (Connection connection = database.connect()) {
      Sql.run(connection, "bare-schema.sql");
      try (PreparedStatement insert = connection.prepareStatement(Sql.positional("bare-enqueue.sql"))) {
        insert.setString(1, Agwp.PAYLOAD);
        insert.setInt(2, jobs);
        insert.executeUpdate();
      }
    }
  }

  private static final class OneJob implements Callers.Caller {
    private final Connection connection;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    OneJob(Connection connection) throws SQLException {
      this.connection = connection;
      claim = connection.prepareStatement(Sql.positional("bare-claim.sql"));
      complete = connection.prepareStatement(Sql.positional("bare-complete.sql"));
    }

    @Override
    public int step() throws SQLException {
      try (ResultSet job = claim.executeQuery()) {
        if (!job.next()) {
          return 0;
        }
        complete.setLong(1, job.getLong("id"));
        complete.setLong(2, job.getLong("attempts"));
      }
      complete.setString(3, ATTESTATION);
      return complete.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private static final class ManyJobs implements Callers.Caller {
    private final Connection connection;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    ManyJobs(Connection connection) throws SQLException {
      this.connection = connection;
      claim = connection.prepareStatement(Sql.positional("bare-claim-many.sql"));
      complete = connection.prepareStatement(Sql.positional("bare-complete-many.sql"));
    }

    @Override
    public int step() throws SQLException {
      List<Long> ids = new ArrayList<>();
      List<Long> attempts = new ArrayList<>();
      try (ResultSet jobs = claim.executeQuery()) {
        while (jobs.next()) {
          ids.add(jobs.getLong("id"));
          attempts.add(jobs.getLong("attempts"));
        }
      }
      if (ids.isEmpty()) {
        return 0;
      }
      complete.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
      complete.setArray(2, connection.createArrayOf("bigint", attempts.toArray()));
      complete.setString(3, ATTESTATION);
      return complete.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}

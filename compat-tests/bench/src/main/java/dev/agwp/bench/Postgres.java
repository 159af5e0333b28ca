package dev.agwp.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The PostgreSQL that all share, as durable as it comes: a commit is on the disk before it is answered. */
final class Postgres implements AutoCloseable {
  private static final String CONNECTIONS_MAX = "300";

  private final EmbeddedPostgres process;
  private final AtomicInteger databases = new AtomicInteger();

  private Postgres(EmbeddedPostgres process) {
    this.process = process;
  }

  static Postgres start() throws IOException, SQLException {
    // Embedded PostgreSQL is made for tests and starts with fsync=off.
    Postgres started = new Postgres(EmbeddedPostgres.builder()
        .setServerConfig("fsync", "on")
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("max_connections", CONNECTIONS_MAX)
        .start());
    for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
      if (!started.ask("show " + setting).equals("on")) {
        throw new IllegalStateException(setting + " is not on: what is measured would not be durable");
      }
    }
    return started;
  }

  String version() throws SQLException {
    return "PostgreSQL " + ask("show server_version");
  }

  int port() {
    return process.getPort();
  }

  /** All of it: each connection has one. */
  Stream<ProcessHandle> processes() throws SQLException {
    String postmaster = ask("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)");
    return ProcessHandle.of(Long.parseLong(postmaster)).orElseThrow().descendants();
  }

  /** Creates an empty database; what was written before is flushed first, so that no run pays for the one before. */
  Database create() throws SQLException {
    String name = "bench_" + databases.incrementAndGet();
    execute("create database " + name);
    execute("checkpoint");
    return new Database(name);
  }

  @Override
  public void close() throws IOException {
    process.close();
  }

  private String ask(String question) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(question)) {
      answer.next();
      return answer.getString(1);
    }
  }

  private void execute(String command) throws SQLException {
    try (Connection connection = connect("postgres"); Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  private Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(process.getJdbcUrl("postgres", database));
  }

  /** A database of one measurement, dropped after it. */
  final class Database implements AutoCloseable {
    private final String name;

    private Database(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    String jdbcUrl() {
      return process.getJdbcUrl("postgres", name);
    }

    /** As libpq, Node.js and Go write it. */
    String url() {
      return "postgres://postgres:postgres@localhost:" + process.getPort() + "/" + name + "?sslmode=disable";
    }

    Connection connect() throws SQLException {
      return Postgres.this.connect(name);
    }

    @Override
    public void close() throws SQLException {
      execute("drop database " + name + " with (force)");
    }
  }
}

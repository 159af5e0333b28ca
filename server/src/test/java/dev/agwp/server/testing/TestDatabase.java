package dev.agwp.server.testing;

import dev.agwp.server.AgwpServer;
import dev.agwp.server.AuditOptions;
import dev.agwp.server.ServerOptions;
import dev.agwp.server.access.AccessOptions;
import dev.agwp.server.access.Tokens;
import dev.agwp.server.http.Limits;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.http.TlsFiles;
import dev.agwp.server.storage.Database;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** An empty database for one test, the servers started on it, and the hands that move its rows. */
public final class TestDatabase implements AutoCloseable {
  private static final Limits ANY_NUMBER = Limits.of(Limits.CONNECTIONS_MAX_DEFAULT, Limits.CONNECTIONS_MAX_DEFAULT);
  private final String name;
  private final String url;
  private final List<AgwpServer> servers = new ArrayList<>();

  private TestDatabase(String name, String url) {
    this.name = name;
    this.url = url;
  }

  public static TestDatabase sqlite() {
    try {
      Path folder = Files.createTempDirectory("agwp-test");
      folder.toFile().deleteOnExit();
      return new TestDatabase("SQLite", "jdbc:sqlite:" + folder.resolve("agwp.db"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public static TestDatabase postgresql() {
    String database = "agwp_" + UUID.randomUUID().toString().replace("-", "");
    try (Connection connection = Postgres.PROCESS.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + database);
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
    return new TestDatabase("PostgreSQL", Postgres.PROCESS.getJdbcUrl("postgres", database));
  }

  /** One server process for all tests of a run. */
  private static final class Postgres {
    static final EmbeddedPostgres PROCESS = start();

    private static EmbeddedPostgres start() {
      try {
        EmbeddedPostgres process = EmbeddedPostgres.builder()
            .setServerConfig("max_connections", "200")
            .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
          try {
            process.close();
          } catch (IOException stopped) {
            throw new UncheckedIOException(stopped);
          }
        }));
        return process;
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  public String url() {
    return url;
  }

  public boolean isPostgresql() {
    return name.equals("PostgreSQL");
  }

  /** Starts a server on a free port; call it again for a replica. */
  public Api serve() {
    return serve(AccessOptions.DEFAULTS);
  }

  /** As {@link #serve}, with options of access. */
  public Api serve(AccessOptions access) {
    return serve(false, access, ANY_NUMBER, null, AuditOptions.NONE);
  }

  /** As {@link #serve}, with {@code --require-fencing}. */
  public Api serveRequiringFencing() {
    return serve(true, AccessOptions.DEFAULTS, ANY_NUMBER, null, AuditOptions.NONE);
  }

  /** As {@link #serve}, with {@code --audit-key} and {@code --audit-checkpoints}. */
  public Api serve(AuditOptions audit) {
    return serve(false, AccessOptions.DEFAULTS, ANY_NUMBER, null, audit);
  }

  /** As {@link #serve}, with other limits for clients. */
  public Api serve(Limits limits) {
    return serve(false, AccessOptions.DEFAULTS, limits, null, AuditOptions.NONE);
  }

  /** As {@link #serve}, over HTTPS. */
  public Api serve(Limits limits, TlsFiles.Options tls) {
    return serve(limits, tls, tls.clientCa() == null ? Set.of() : Set.of(Scope.values()));
  }

  /** As {@link #serve}, over HTTPS, and with what a certificate of a client lets it do. */
  public Api serve(Limits limits, TlsFiles.Options tls, Set<Scope> ofCertificates) {
    return serve(false, new AccessOptions(false, false, List.of(), 0, 0, ofCertificates), limits, tls, AuditOptions.NONE);
  }

  private Api serve(boolean requireFencing, AccessOptions access, Limits limits, TlsFiles.Options tls, AuditOptions audit) {
    ServerOptions options = new ServerOptions("127.0.0.1", 0, url, requireFencing, access, limits, tls, audit);
    try {
      AgwpServer server = AgwpServer.start(options);
      servers.add(server);
      return new Api(server.uri(), server);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Runs one statement as an operator with a SQL prompt would, and tells how many rows it changed. */
  public int change(String sql) {
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    } catch (SQLException failed) {
      throw new IllegalStateException(sql, failed);
    }
  }

  /** Every row as the text of its columns joined by a bar, for comparing before and after. */
  public List<String> rows(String sql) {
    try (Connection connection = connect(); Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          columns.add(String.valueOf(result.getObject(i)));
        }
        rows.add(String.join("|", columns));
      }
      return rows;
    } catch (SQLException failed) {
      throw new IllegalStateException(sql, failed);
    }
  }

  public long number(String sql) {
    return Long.parseLong(rows(sql).get(0));
  }

  /** All that is stored of jobs, attestations, leases and integrations: a refused call must leave this as it was. */
  public List<String> everything() {
    List<String> all = new ArrayList<>(rows("select * from job order by seq"));
    all.addAll(rows("select job_id, attempts, media_type, digest from attestation order by job_id"));
    for (String table : List.of("queue order by name", "lease_repo order by repo", "lease order by repo, fencing_token",
        "lease_path order by repo, path, fencing_token", "lease_ticket order by seq", "lease_ticket_path order by ticket, path",
        "integration order by repo, sequence", "integration_path order by repo, path, sequence")) {
      all.addAll(rows("select * from " + table));
    }
    return all;
  }

  /** A token as {@code token create} makes it, for every queue. */
  public String aToken(String principal, Scope... scopes) {
    return aToken(principal, NamePatterns.ALL, scopes);
  }

  public String aToken(String principal, NamePatterns queues, Scope... scopes) {
    try (Database database = Database.open(url)) {
      return new Tokens(database).create(principal, List.of(scopes), queues, Duration.ofHours(1));
    }
  }

  /** What {@code token revoke} does. */
  public void revoke(String token) {
    try (Database database = Database.open(url)) {
      new Tokens(database).revoke(idOf(token));
    }
  }

  /** Moves the end of the token into the past, as if its time had gone by. */
  public void expire(String token) {
    change("update access_token set expires_at = 1 where id = '" + idOf(token) + "'");
  }

  private static String idOf(String token) {
    return token.split("_", 3)[1];
  }

  /** Moves the end of the lease into the past, as if its time had gone by. */
  public void expireLease(String jobId) {
    int moved = change("update job set lease_expires_at = 1, due_at = 1 where state = 'claimed' and job_id = '" + jobId + "'");
    if (moved != 1) {
      throw new IllegalStateException("job " + jobId + " is not claimed");
    }
  }

  /** Moves the time from which a job may be claimed into the past. */
  public void makeDue(String jobId) {
    change("update job set run_at = 1, due_at = 1 where state = 'queued' and job_id = '" + jobId + "'");
  }

  public Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    if (!isPostgresql()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("pragma busy_timeout = 10000");
      }
    }
    return connection;
  }

  @Override
  public void close() {
    servers.forEach(AgwpServer::close);
  }

  @Override
  public String toString() {
    return name;
  }
}

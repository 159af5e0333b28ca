package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** One at a time over HTTP, as the others of ours, from a queue that holds much more than is claimed, or beside much that cannot be. */
final class Backlog implements Contender {
  private final String says;
  private final Agwp server;
  private final String filling;
  private final int rows;

  /** @param filling the statements that put so many rows into an empty database */
  Backlog(String says, Agwp server, String filling, int rows) {
    this.says = says;
    this.server = server;
    this.filling = filling;
    this.rows = rows;
  }

  @Override
  public String name() {
    return "AGWP, one at a time, " + says;
  }

  @Override
  public String version() {
    return server.version();
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    URI uri = server.uri();
    String queue = HttpClaims.nextQueue();
    server.fill(queue, jobs);
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
      try (PreparedStatement fill = connection.prepareStatement(Sql.positional(filling))) {
        fill.setString(1, queue);
        fill.setInt(2, rows);
        fill.executeUpdate();
      }
      Sql.run(connection, "settle-postgresql.sql");
    }
    return Callers.run(jobs, callers, number -> Way.ONE_AT_A_TIME.caller(HttpCaller.Client.LEAN.connect(uri), queue, "w" + number));
  }
}

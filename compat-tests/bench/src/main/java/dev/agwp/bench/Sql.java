package dev.agwp.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The statements beside this class, one file each. Their parameters are named for pgbench; JDBC takes them in order. */
final class Sql {
  private Sql() {}

  static String named(String file) {
    try (InputStream in = Sql.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static String positional(String file) {
    return named(file).replaceAll(":[a-z]\\w*", "?");
  }

  static void run(Connection connection, String file) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String one : named(file).split(";\\s*(\n|$)")) {
        statement.execute(one);
      }
    }
  }
}

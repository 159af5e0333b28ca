package dev.agwp.server;

import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import picocli.CommandLine.Option;

/** {@code --db}, the same for every command. */
final class DatabaseOption {
  @Option(names = "--db", paramLabel = "URL", defaultValue = "${env:AGWP_DB:-jdbc:sqlite:agwp.db}",
      description = "jdbc:sqlite:FILE, or jdbc:postgresql://HOST/NAME?user=…&password=… to let several servers share one "
          + "database. Default: the environment variable AGWP_DB, which keeps a password out of the process list, else "
          + "jdbc:sqlite:agwp.db in the working folder.")
  private String url;

  String url() {
    return url;
  }

  /** @throws dev.agwp.server.storage.CannotOpenDatabase when there is none at the URL */
  Database open() {
    return Database.open(url);
  }

  /** What the database said, in one line. */
  static String why(RuntimeException failed) {
    Throwable cause = failed;
    while (cause.getCause() != null && !(failed instanceof CannotOpenDatabase)) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
  }
}

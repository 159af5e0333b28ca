package dev.agwp.server.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the schema up to date as the server starts; replicas that start at once take turns. */
final class Migrations {
  private static final String FOLDER = "classpath:dev/agwp/server/storage/migrations/";

  private Migrations() {}

  static void run(DatabaseKind kind, String url, DataSource pool) {
    if (kind == DatabaseKind.POSTGRESQL) {
      // Flyway holds an advisory lock of the database meanwhile.
      migrate(kind, pool);
      return;
    }
    // Two processes may open one new file at the same moment; SQLite has no lock that outlives a transaction. The lock's file
    // stays: deleting it would let a third process lock another file of the same name.
    Path lockFile = Path.of(file(url) + ".migrating");
    try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      migrate(kind, pool);
    } catch (IOException unwritable) {
      throw new CannotOpenDatabase("the folder of the database must be writable: " + lockFile + " cannot be written", unwritable);
    }
  }

  private static void migrate(DatabaseKind kind, DataSource pool) {
    try {
      flyway(kind, pool).migrate();
    } catch (FlywayException failed) {
      throw new CannotOpenDatabase("the schema cannot be brought up to date: " + failed.getMessage(), failed);
    }
  }

  private static Flyway flyway(DatabaseKind kind, DataSource pool) {
    return Flyway.configure()
        .dataSource(pool)
        .locations(FOLDER + kind.databaseId())
        .sqlMigrationPrefix("")
        .sqlMigrationSeparator("_")
        .table("schema_history")
        .load();
  }

  private static String file(String url) {
    String path = url.substring("jdbc:sqlite:".length());
    int options = path.indexOf('?');
    return options < 0 ? path : path.substring(0, options);
  }
}

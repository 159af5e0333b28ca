package dev.agwp.server.storage;

import com.zaxxer.hikari.HikariConfig;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteOpenMode;

/** What is particular to each database outside of SQL: how its pools are set, and what its errors mean. */
enum DatabaseKind {
  SQLITE("jdbc:sqlite:", "sqlite") {
    @Override
    HikariConfig writePool(String url) {
      // One writer: the pool's queue is fair and costs nothing, SQLite's own wait is neither.
      HikariConfig pool = pool(url, 1);
      pool.setPoolName("agwp-write");
      pool.setDataSourceProperties(sqlite(SQLiteConfig.TransactionMode.IMMEDIATE).toProperties());
      return pool;
    }

    @Override
    HikariConfig readPool(String url) {
      HikariConfig pool = pool(url, SQLITE_READERS_MAX);
      pool.setPoolName("agwp-read");
      // DEFERRED, or a reader would take the write lock as it begins.
      SQLiteConfig config = sqlite(SQLiteConfig.TransactionMode.DEFERRED);
      // Who only reads must not bring an empty database into being where the name of the file is wrong.
      config.resetOpenMode(SQLiteOpenMode.CREATE);
      pool.setDataSourceProperties(config.toProperties());
      pool.setConnectionInitSql("pragma query_only = on");
      return pool;
    }

    @Override
    boolean isUniqueViolation(SQLException cause) {
      return code(cause) == SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE.code;
    }

    @Override
    boolean mayBeTriedAgain(SQLException cause) {
      return false;
    }

    @Override
    boolean isUnavailable(SQLException cause) {
      SQLiteErrorCode primary = SQLiteErrorCode.getErrorCode(code(cause) & 0xff);
      return super.isUnavailable(cause) || switch (primary) {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN -> true;
        default -> false;
      };
    }
  },

  POSTGRESQL("jdbc:postgresql:", "postgresql") {
    @Override
    HikariConfig writePool(String url) {
      HikariConfig pool = pool(url, POSTGRESQL_CONNECTIONS_MAX);
      pool.setPoolName("agwp");
      pool.addDataSourceProperty("ApplicationName", "agwp-server");
      pool.addDataSourceProperty("tcpKeepAlive", "true");
      pool.addDataSourceProperty("socketTimeout", "30");
      // One plan for all calls, a walk of the statement's index: statistics are late where a queue fills and empties (ADR-0023).
      pool.addDataSourceProperty("options", "-c lock_timeout=5s -c statement_timeout=15s"
          + " -c idle_in_transaction_session_timeout=10s -c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off"
          + " -c enable_bitmapscan=off -c enable_sort=off -c enable_hashjoin=off -c enable_mergejoin=off"
          + " -c enable_material=off");
      return pool;
    }

    @Override
    HikariConfig readPool(String url) {
      return null;
    }

    @Override
    boolean isUniqueViolation(SQLException cause) {
      return "23505".equals(state(cause));
    }

    @Override
    boolean mayBeTriedAgain(SQLException cause) {
      // serialization_failure and deadlock_detected: the database undid everything.
      return "40001".equals(state(cause)) || "40P01".equals(state(cause));
    }

    @Override
    boolean isUnavailable(SQLException cause) {
      String state = state(cause);
      // 08 connection, 53 resources, 57 operator intervention (shutdown, time-outs), 55P03 lock_not_available, 25006 read-only.
      return super.isUnavailable(cause) || mayBeTriedAgain(cause) || state.startsWith("08") || state.startsWith("53")
          || state.startsWith("57") || state.equals("55P03") || state.equals("25006") || state.equals("25P03");
    }
  };

  private static final int SQLITE_READERS_MAX = 4;
  private static final int SQLITE_BUSY_MS = 5_000;
  private static final int POSTGRESQL_CONNECTIONS_MAX = 10;
  private static final int WAIT_FOR_CONNECTION_MS = 10_000;

  private final String urlPrefix;
  private final String databaseId;

  DatabaseKind(String urlPrefix, String databaseId) {
    this.urlPrefix = urlPrefix;
    this.databaseId = databaseId;
  }

  static DatabaseKind of(String url) {
    for (DatabaseKind kind : values()) {
      if (url.startsWith(kind.urlPrefix) && url.length() > kind.urlPrefix.length() && !url.contains(":memory:")) {
        return kind;
      }
    }
    // The URL is not repeated: it may hold a password.
    throw new CannotOpenDatabase("the database must be jdbc:sqlite:FILE or jdbc:postgresql://HOST/NAME", null);
  }

  /** Names this database in the mapper files and the folder of its migrations. */
  String databaseId() {
    return databaseId;
  }

  abstract HikariConfig writePool(String url);

  /** Null when reads go through the write pool. */
  abstract HikariConfig readPool(String url);

  abstract boolean isUniqueViolation(SQLException cause);

  /** Whether the database undid the transaction and it can simply be begun again. */
  abstract boolean mayBeTriedAgain(SQLException cause);

  boolean isUnavailable(SQLException cause) {
    return cause instanceof java.sql.SQLTransientConnectionException;
  }

  private static HikariConfig pool(String url, int size) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(size);
    pool.setConnectionTimeout(WAIT_FOR_CONNECTION_MS);
    // Connections rest in auto-commit: on SQLite switching it off begins the transaction and takes the write lock.
    pool.setAutoCommit(true);
    return pool;
  }

  private static SQLiteConfig sqlite(SQLiteConfig.TransactionMode mode) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    // FULL: an acknowledged write survives a power cut. WAL alone would lose the last ones.
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(SQLITE_BUSY_MS);
    config.setTransactionMode(mode);
    // Nobody asks for them, and to find out whether a statement makes any the driver matches its text against a pattern that takes long.
    config.setGetGeneratedKeys(false);
    return config;
  }

  private static int code(SQLException cause) {
    return cause instanceof org.sqlite.SQLiteException sqlite ? sqlite.getResultCode().code : 0;
  }

  private static String state(SQLException cause) {
    return cause == null || cause.getSQLState() == null ? "" : cause.getSQLState();
  }
}

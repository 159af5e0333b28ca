package dev.agwp.server.storage;

import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.agwp.server.http.ApiException;
import java.sql.SQLException;
import java.util.function.Function;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The database behind this server: SQLite in a file, or PostgreSQL shared by several replicas. */
public final class Database implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  /** How often a transaction is begun again after the database broke it off to resolve a deadlock. */
  private static final int TRIES_MAX = 3;

  private final DatabaseKind kind;
  private final HikariDataSource writePool;
  private final HikariDataSource readPool;
  private final SqlSessionFactory writeSessions;
  private final SqlSessionFactory readSessions;
  private final KnownQueues knownQueues = new KnownQueues(System::nanoTime);

  private Database(DatabaseKind kind, HikariDataSource writePool, HikariDataSource readPool) {
    this.kind = kind;
    this.writePool = writePool;
    this.readPool = readPool;
    this.writeSessions = Mappers.sessions(kind, writePool);
    this.readSessions = writePool == readPool ? writeSessions : Mappers.sessions(kind, readPool);
  }

  /**
   * Opens the database and brings its schema up to date.
   *
   * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://...}
   * @throws CannotOpenDatabase when the URL is neither, or what it names cannot be reached, read or brought up to date
   */
  public static Database open(String url) {
    DatabaseKind kind = DatabaseKind.of(url);
    HikariDataSource writePool = pool(kind.writePool(url));
    try {
      Migrations.run(kind, url, writePool);
      HikariConfig reads = kind.readPool(url);
      return new Database(kind, writePool, reads == null ? writePool : pool(reads));
    } catch (RuntimeException failed) {
      writePool.close();
      throw failed;
    }
  }

  /**
   * Opens a database to read it, and leaves it as it is: nothing is created or brought up to date.
   *
   * @throws CannotOpenDatabase as {@link #open}, and when there is none
   */
  public static Database openToRead(String url) {
    DatabaseKind kind = DatabaseKind.of(url);
    HikariConfig reads = kind.readPool(url);
    HikariDataSource pool = pool(reads == null ? kind.writePool(url) : reads);
    return new Database(kind, pool, pool);
  }

  private static HikariDataSource pool(HikariConfig config) {
    try {
      return new HikariDataSource(config);
    } catch (HikariPool.PoolInitializationException failed) {
      SQLException cause = sqlCause(failed);
      throw new CannotOpenDatabase("the database cannot be opened: " + (cause == null ? failed : cause).getMessage(), failed);
    }
  }

  /** Whether other servers may work on the same database. */
  public boolean hasReplicas() {
    return kind == DatabaseKind.POSTGRESQL;
  }

  /**
   * Runs the work in one transaction: all of it is stored when this returns, and nothing when it throws.
   *
   * @throws ApiException {@code unavailable} when the database cannot be reached or is too busy
   * @throws UniqueViolation when a unique index refused a row
   */
  public <T> T inTransaction(Function<Transaction, T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return once(writeSessions, work);
      } catch (PersistenceException failed) {
        SQLException cause = sqlCause(failed);
        if (!kind.mayBeTriedAgain(cause) || tries == TRIES_MAX) {
          throw explained(failed, cause);
        }
      }
    }
  }

  /** Reads; on SQLite without waiting for the one writer. */
  public <T> T read(Function<Transaction, T> work) {
    try {
      return once(readSessions, work);
    } catch (PersistenceException failed) {
      throw explained(failed, sqlCause(failed));
    }
  }

  /** A session outside any transaction and outside the pool's hands until it is closed: for LISTEN. */
  SqlSession openSession() {
    return writeSessions.openSession(true);
  }

  /** Ends the connection of a session of {@link #openSession}: nobody else gets one that listens, or has broken while it did. */
  void endConnection(SqlSession session) {
    writePool.evictConnection(session.getConnection());
  }

  private <T> T once(SqlSessionFactory sessions, Function<Transaction, T> work) {
    try (SqlSession session = sessions.openSession(false)) {
      try {
        Transaction transaction = new Transaction(session, knownQueues);
        T answer = work.apply(transaction);
        transaction.storeEvents();
        session.commit(true);
        transaction.committed();
        return answer;
      } catch (Throwable failed) {
        rollBack(session, failed);
        throw failed;
      }
    }
  }

  private static void rollBack(SqlSession session, Throwable why) {
    try {
      session.rollback(true);
    } catch (PersistenceException connectionLost) {
      // The database undoes what it has not committed by itself. What failed first says what has happened, and this does not.
      why.addSuppressed(connectionLost);
    }
  }

  private RuntimeException explained(PersistenceException failed, SQLException cause) {
    if (kind.isUniqueViolation(cause)) {
      return new UniqueViolation(failed);
    }
    if (kind.isUnavailable(cause)) {
      LOG.warn("database unavailable: {}", cause.getMessage());
      return new ApiException(UNAVAILABLE, "the database cannot be reached or is too busy; try again");
    }
    return failed;
  }

  private static SQLException sqlCause(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }

  @Override
  public void close() {
    if (readPool != writePool) {
      readPool.close();
    }
    writePool.close();
  }
}

package dev.agwp.server.storage;

import dev.agwp.server.lease.LeaseMapper;
import dev.agwp.server.queue.QueueMapper;
import dev.agwp.server.queue.QueueMapper.Signal;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.session.SqlSession;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries names of queues and repos between replicas by LISTEN and NOTIFY. One thread sends, outside of every caller's transaction and
 * all names that gathered meanwhile in one statement: a NOTIFY takes a lock of the whole PostgreSQL cluster until its commit.
 */
public final class ReplicaSignals implements AutoCloseable {
  /** Of queues that have something to claim. */
  public static final String CLAIMABLE = "agwp_claimable";
  /** Of repos in which leased paths have become free. */
  public static final String LEASES = "agwp_leases";

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaSignals.class);
  private static final long RECONNECT_MS = 1_000;
  private static final int LISTEN_MS = 500;
  private static final long STOP_WITHIN_MS = 2_000;

  private final Database database;
  private final Map<String, Consumer<String>> received;
  private final Runnable missed;
  private final Object monitor = new Object();
  private final Set<Signal> outgoing = new LinkedHashSet<>();
  private final Thread sender = new Thread(this::send, "agwp-replica-sender");
  private final Thread listener = new Thread(this::listen, "agwp-replica-listener");
  private boolean stopping;
  /** The connection that sent last: what comes from it is known here. */
  private volatile int senderPid;

  /**
   * @param received told the names that come on each channel
   * @param missed called after a new connection: what was sent before it is not known
   */
  public ReplicaSignals(Database database, Map<String, Consumer<String>> received, Runnable missed) {
    this.database = database;
    this.received = received;
    this.missed = missed;
    sender.setDaemon(true);
    listener.setDaemon(true);
  }

  public void start() {
    sender.start();
    listener.start();
  }

  public void tell(String channel, String name) {
    synchronized (monitor) {
      outgoing.add(new Signal(channel, name));
      monitor.notifyAll();
    }
  }

  private void send() {
    for (List<Signal> signals = next(); !signals.isEmpty(); signals = next()) {
      try (SqlSession session = database.openSession()) {
        senderPid = session.getMapper(QueueMapper.class).notify(signals).get(0);
      } catch (PersistenceException lost) {
        // Replicas look for themselves once a second; a signal only makes them faster.
        LOG.warn("could not signal {} to the replicas: {}", signals, lost.getMessage());
      }
    }
  }

  private List<Signal> next() {
    synchronized (monitor) {
      while (outgoing.isEmpty() && !stopping) {
        await(RECONNECT_MS);
      }
      List<Signal> signals = stopping ? List.of() : List.copyOf(outgoing);
      outgoing.clear();
      return signals;
    }
  }

  private void listen() {
    while (running()) {
      try (SqlSession session = database.openSession()) {
        session.getMapper(LeaseMapper.class).listen();
        session.getMapper(QueueMapper.class).listen();
        try {
          hear(session.getConnection().unwrap(PGConnection.class));
        } finally {
          database.endConnection(session);
        }
      } catch (SQLException | PersistenceException lost) {
        LOG.warn("lost the replica signals, connecting again: {}", lost.getMessage());
        pause();
      }
    }
  }

  private void hear(PGConnection connection) throws SQLException {
    missed.run();
    while (running()) {
      PGNotification[] notifications = connection.getNotifications(LISTEN_MS);
      for (PGNotification notification : notifications == null ? new PGNotification[0] : notifications) {
        // Those who wait here were told when it was sent, and another try of theirs would find nothing.
        if (notification.getPID() != senderPid) {
          received.get(notification.getName()).accept(notification.getParameter());
        }
      }
    }
  }

  private void pause() {
    long began = System.nanoTime();
    synchronized (monitor) {
      // What is told meanwhile wakes this up too.
      for (long left = RECONNECT_MS; left > 0 && !stopping; ) {
        await(left);
        left = RECONNECT_MS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      }
    }
  }

  // Called with the monitor held; an interrupt means stop.
  private void await(long ms) {
    try {
      TimeUnit.MILLISECONDS.timedWait(monitor, ms);
    } catch (InterruptedException interrupted) {
      stopping = true;
    }
  }

  private boolean running() {
    synchronized (monitor) {
      return !stopping;
    }
  }

  @Override
  public void close() {
    synchronized (monitor) {
      stopping = true;
      monitor.notifyAll();
    }
    try {
      sender.join(STOP_WITHIN_MS);
      listener.join(STOP_WITHIN_MS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.agwp.server.audit;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.storage.UniqueViolation;
import dev.agwp.spec.audit.Chain;
import io.micrometer.core.instrument.Counter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals the audit log: gives the events that transactions left their places in one order and chains them (ADR-0020). Every replica runs one;
 * whoever locks the head is the one at work, and the others step aside.
 */
public final class Sequencer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sequencer.class);
  private static final int EVENTS_MAX = 2_000;
  /** Events that come meanwhile share one commit. Far below the 5 seconds that are promised. */
  private static final long LOOK_EVERY_MS = 500;

  private final Database database;
  private final Counter sealed;
  // Once more when it stops, so that a server that was the only one leaves nothing unsealed.
  private final RepeatedWork repeated = new RepeatedWork("agwp-audit-sequencer", LOOK_EVERY_MS, last -> seal());

  public Sequencer(Database database, Counter sealed) {
    this.database = database;
    this.sealed = sealed;
  }

  public void start() {
    repeated.start();
  }

  /** Seals what is there; not what another server is sealing. */
  void sealAll() {
    int events;
    do {
      events = sealSome();
      sealed.increment(events);
    } while (events == EVENTS_MAX);
  }

  /** How many events were sealed; none when another server is at it. */
  private int sealSome() {
    // Read and hashed before anything is locked: on SQLite there is one writer, and PostgreSQL waits without end for a server that
    // stops in the middle of reading many.
    Seals seals = database.read(tx -> Seals.of(tx.auditLog().head(), tx.auditLog().pending(EVENTS_MAX)));
    if (seals.places().isEmpty()) {
      return 0;
    }
    return database.inTransaction(tx -> tx.auditLog().lockHead(seals.head().seq()) == null ? 0 : seals.write(tx));
  }

  /**
   * Places in the log for events that had none.
   *
   * @param head after which they are
   * @param seq of the last of them
   */
  record Seals(HeadRow head, List<AuditMapper.Sealed> places, long seq, byte[] chainHash) {
    static Seals of(HeadRow head, List<PendingRow> events) {
      long seq = head.seq();
      byte[] chain = head.chainHash();
      List<AuditMapper.Sealed> places = new ArrayList<>();
      for (PendingRow event : events) {
        seq++;
        chain = Chain.next(chain, seq, Chain.leaf(event.preimage()));
        places.add(new AuditMapper.Sealed(event.eventId(), seq, HexFormat.of().formatHex(chain)));
      }
      return new Seals(head, places, seq, chain);
    }

    /** @throws IllegalStateException when the head has moved on since it was read: nothing may be sealed after it any more */
    int write(Transaction tx) {
      if (tx.auditLog().moveHead(head.seq(), seq, chainHash) != 1 || tx.auditLog().seal(places) != places.size()
          || tx.auditLog().dropSealed(places) != places.size()) {
        throw new IllegalStateException("another server has sealed after event " + head.seq());
      }
      return places.size();
    }
  }

  private void seal() {
    try {
      sealAll();
    } catch (ApiException | PersistenceException | UniqueViolation | IllegalStateException failed) {
      LOG.warn("could not seal the audit log, trying again: {}", failed.getMessage());
    }
  }

  @Override
  public void close() {
    repeated.close();
  }
}

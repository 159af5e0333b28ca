package dev.agwp.server.audit;

import dev.agwp.server.storage.Database;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;

/** An audit log without a server, for tests that write, seal and check it step by step. */
final class ALog implements AutoCloseable {
  private final Database database;
  private final Counter sealed = new SimpleMeterRegistry().counter("sealed");
  private final Sequencer sequencer;
  private int written;

  ALog(TestDatabase database) {
    this.database = Database.open(database.url());
    sequencer = new Sequencer(this.database, sealed);
  }

  Database database() {
    return database;
  }

  Sequencer sequencer() {
    return sequencer;
  }

  double sealed() {
    return sealed.count();
  }

  /** Each in a transaction of its own. */
  ALog write(int events) {
    for (int i = 0; i < events; i++) {
      String jobId = "j" + ++written;
      database.inTransaction(tx -> {
        tx.audit(Event.of(EventKind.JOB_CANCELLED, 1_000).with(Field.JOB_ID, jobId));
        return null;
      });
    }
    return this;
  }

  ALog seal() {
    sequencer.sealAll();
    return this;
  }

  Checkpoint checkpoint() {
    return database.read(tx -> tx.auditLog().head()).checkpoint();
  }

  VerifyLog.Verdict verify(Checkpoint... kept) {
    return new VerifyLog(database, List.of(kept), (seq, of) -> {}).run();
  }

  @Override
  public void close() {
    database.close();
  }
}

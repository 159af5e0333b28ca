package dev.agwp.server.queue;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Queue;
import dev.agwp.server.message.UpdateQueueRequest;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.util.Set;

/** updateQueue: pauses or resumes a queue, and says what calls for its jobs must carry: a fencing token, an attestation. */
public final class UpdateQueue {
  private final Database database;
  private final QueueSignals signals;

  public UpdateQueue(Database database, QueueSignals signals) {
    this.database = database;
    this.signals = signals;
  }

  Queue run(Caller caller, String name, UpdateQueueRequest request) {
    caller.checkQueue("queue", name);
    String attestation = request.getAttestation() == null ? null : request.getAttestation().toString();
    Queue queue = database.inTransaction(tx -> {
      if (request.getRequireFencing() != null || attestation != null) {
        // What calls must carry holds from the first job on, so it can be said before that.
        tx.queues().ensure(Set.of(name));
      }
      if (tx.queues().change(name, request.getPaused(), request.getRequireFencing(), attestation) == 0) {
        throw ReadQueues.unknown(name);
      }
      Queue changed = ReadQueues.one(tx, name);
      tx.audit(Event.of(EventKind.QUEUE_UPDATED, tx.auditLog().now())
          .with(Field.PRINCIPAL, caller.principal())
          .with(Field.QUEUE, name)
          .with(Field.DETAIL, "paused=" + changed.getPaused() + " require_fencing=" + changed.getRequireFencing()
              + " attestation=" + changed.getAttestation())
          .with(Field.REQUEST_ID, caller.requestId()));
      return changed;
    });
    if (!queue.getPaused()) {
      signals.mayBeClaimable(name);
    }
    return queue;
  }
}

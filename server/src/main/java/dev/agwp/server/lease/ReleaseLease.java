package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Lease;
import dev.agwp.server.message.ReleaseLeaseRequest;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.function.Consumer;

/** releaseLease: gives a lease back, and lets those who wait for its paths try. */
final class ReleaseLease {
  private final Database database;
  private final Consumer<String> freed;

  /** @param freed told the repo after the commit: an acquire that tries now must see the paths free */
  ReleaseLease(Database database, Consumer<String> freed) {
    this.database = database;
    this.freed = freed;
  }

  Lease run(Caller caller, String leaseId, ReleaseLeaseRequest request) {
    LeaseCall call = LeaseCall.of(caller, leaseId, request.getHolder(), request.getFencingToken());
    LeaseRow released = database.inTransaction(tx -> {
      LeaseRow lease = tx.leases().release(call);
      if (lease == null) {
        return releasedBefore(tx, call);
      }
      tx.leases().endPaths(lease.repo(), lease.fencingToken());
      tx.audit(LeaseEvents.released(lease, tx.auditLog().now(), call.requestId()));
      return lease;
    });
    freed.accept(released.repo());
    return released.toMessage();
  }

  /** The repeat of a call whose answer was lost. */
  private static LeaseRow releasedBefore(Transaction tx, LeaseCall call) {
    LeaseRow lease = tx.leases().find(call.leaseId());
    if (lease == null || !lease.isReleased() || !call.isOfHolderOf(lease)) {
      throw LostLease.explain(call, lease);
    }
    return lease;
  }
}

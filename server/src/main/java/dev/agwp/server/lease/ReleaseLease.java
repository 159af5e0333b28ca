package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Lease;
import dev.agwp.server.message.ReleaseLeaseRequest;
import dev.agwp.server.storage.Database;
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
        throw LostLease.explain(tx, call);
      }
      tx.leases().endPaths(lease.repo(), lease.fencingToken(), PathRow.of(lease.pathList()));
      return lease;
    });
    freed.accept(released.repo());
    return released.toMessage();
  }
}

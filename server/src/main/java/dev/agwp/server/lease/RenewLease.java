package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Lease;
import dev.agwp.server.message.RenewLeaseRequest;
import dev.agwp.server.storage.Database;

/** renewLease: lets a lease expire later. */
final class RenewLease {
  private final Database database;

  RenewLease(Database database) {
    this.database = database;
  }

  Lease run(Caller caller, String leaseId, RenewLeaseRequest request) {
    LeaseCall call = LeaseCall.of(caller, leaseId, request.getHolder(), request.getFencingToken());
    int ttlSeconds = request.getTtlSeconds() == null ? AcquireLease.TTL_SECONDS_DEFAULT : request.getTtlSeconds();
    return database.inTransaction(tx -> {
      LeaseRow renewed = tx.leases().renew(call, ttlSeconds);
      if (renewed == null) {
        throw LostLease.explain(call, tx.leases().find(call.leaseId()));
      }
      tx.audit(LeaseEvents.renewed(renewed, ttlSeconds, call.requestId()));
      return renewed.toMessage();
    });
  }
}

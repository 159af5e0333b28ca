package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.job.Holder;

/**
 * Who calls on which lease, by which token: what the guard of renewLease and releaseLease compares.
 *
 * @param requestId the X-Request-Id of the call
 */
public record LeaseCall(String leaseId, String holder, long fencingToken, String requestId) {
  static LeaseCall of(Caller caller, String leaseId, String holder, long fencingToken) {
    return new LeaseCall(leaseId, Holder.of(caller, holder).name(), fencingToken, caller.requestId());
  }

  /** Whether this is the call of the lease's own holder and token, whatever became of the lease. */
  boolean isOfHolderOf(LeaseRow lease) {
    return lease.holder().equals(holder) && lease.fencingToken() == fencingToken;
  }
}

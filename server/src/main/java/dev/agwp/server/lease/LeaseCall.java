package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.job.Holder;

/** Who calls on which lease, by which token: what the guard of renewLease and releaseLease compares. */
public record LeaseCall(String leaseId, String holder, long fencingToken) {
  static LeaseCall of(Caller caller, String leaseId, String holder, long fencingToken) {
    return new LeaseCall(leaseId, Holder.of(caller, holder).name(), fencingToken);
  }
}

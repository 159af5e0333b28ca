package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;
import static dev.agwp.server.http.ErrorCode.NOT_FOUND;
import static dev.agwp.server.http.Reason.LEASE_RELEASED;
import static dev.agwp.server.http.Reason.NOT_HOLDER;
import static dev.agwp.server.http.Reason.STALE_FENCING_TOKEN;
import static dev.agwp.server.http.Reason.UNKNOWN_LEASE;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Reason;

/** Says why a call on a lease changed no row. */
final class LostLease {
  private LostLease() {}

  /** @param lease as it stands; null when there is none */
  static ApiException explain(LeaseCall call, LeaseRow lease) {
    if (lease == null) {
      return new ApiException(NOT_FOUND, "no lease has the id " + call.leaseId()).because(UNKNOWN_LEASE);
    }
    if (!lease.holder().equals(call.holder())) {
      return lost(call, NOT_HOLDER, "somebody else does");
    }
    if (lease.fencingToken() != call.fencingToken()) {
      // Never the right number: whoever has lost its lease must not be able to go on with another's.
      return lost(call, STALE_FENCING_TOKEN, "its fencing_token is of another lease");
    }
    if (lease.isReleased()) {
      return lost(call, LEASE_RELEASED, "it was released");
    }
    return lost(call, STALE_FENCING_TOKEN, "it expired, and an overlapping lease was given since");
  }

  private static ApiException lost(LeaseCall call, Reason reason, String why) {
    return new ApiException(FAILED_PRECONDITION, "lease " + call.leaseId() + " is not held by " + call.holder() + ": " + why
        + "; stop changing its files").because(reason);
  }
}

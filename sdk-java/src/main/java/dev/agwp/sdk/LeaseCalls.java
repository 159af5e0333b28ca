package dev.agwp.sdk;

import dev.agwp.sdk.internal.LeasesApi;
import dev.agwp.sdk.model.AcquireLeaseRequest;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.ReleaseLeaseRequest;
import dev.agwp.sdk.model.RenewLeaseRequest;
import java.time.Duration;

/** What a {@link FileLease} calls, never for longer than it says: a server may accept a connection and not answer. */
final class LeaseCalls {
  private final Transport transport;

  LeaseCalls(Transport transport) {
    this.transport = transport;
  }

  Lease acquire(AcquireLeaseRequest request, Duration most) {
    return transport.callWithin(LeasesApi::new, most, leases -> leases.acquireLease(request));
  }

  Lease renew(String leaseId, RenewLeaseRequest request, Duration most) {
    return transport.callWithin(LeasesApi::new, most, leases -> leases.renewLease(leaseId, request));
  }

  /** One try, for a caller that has its own plan for what comes next. */
  Lease renewOnce(String leaseId, RenewLeaseRequest request, Duration timeout) {
    return transport.callOnce(LeasesApi::new, timeout, leases -> leases.renewLease(leaseId, request));
  }

  Lease release(String leaseId, ReleaseLeaseRequest request, Duration most) {
    return transport.callWithin(LeasesApi::new, most, leases -> leases.releaseLease(leaseId, request));
  }

  /** Before a call is made again that was tried in vain. False when interrupted or closed. */
  boolean pause(long mostNanos) {
    return transport.pause(mostNanos);
  }
}

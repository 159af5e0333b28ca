package dev.agwp.server.lease;

import dev.agwp.attestation.Sha256;
import dev.agwp.server.job.Holder;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.nio.charset.StandardCharsets;

/** What changes of leases leave in the audit log: whose, which token, and the digest of the paths. */
final class LeaseEvents {
  private static final long MS_PER_SECOND = 1_000;

  private LeaseEvents() {}

  static Event acquired(LeaseRow lease, String requestId) {
    return of(EventKind.LEASE_ACQUIRED, lease, lease.acquiredAt()).with(Field.REQUEST_ID, requestId);
  }

  static Event renewed(LeaseRow lease, int ttlSeconds, String requestId) {
    return of(EventKind.LEASE_RENEWED, lease, lease.expiresAt() - ttlSeconds * MS_PER_SECOND).with(Field.REQUEST_ID, requestId);
  }

  static Event released(LeaseRow lease, long atMs, String requestId) {
    return of(EventKind.LEASE_RELEASED, lease, atMs).with(Field.REQUEST_ID, requestId);
  }

  /** Of a lease whose paths were given to another: the call is not its holder's. */
  static Event expired(LeaseRow lease, long atMs) {
    return of(EventKind.LEASE_EXPIRED, lease, atMs);
  }

  private static Event of(EventKind kind, LeaseRow lease, long atMs) {
    Holder holder = Holder.parse(lease.holder());
    return Event.of(kind, atMs)
        .with(Field.PRINCIPAL, holder.principal())
        .with(Field.WORKER, holder.worker())
        .with(Field.SUBJECT, lease.leaseId())
        .with(Field.OUTCOME, lease.state())
        .with(Field.DETAIL, "repo=" + lease.repo() + " fencing_token=" + lease.fencingToken() + " paths=" + digest(lease.paths()));
  }

  /** Of a list of paths as it is stored, a JSON array; itself it would not fit. */
  static String digest(String paths) {
    return Sha256.of(paths.getBytes(StandardCharsets.UTF_8));
  }
}

package dev.agwp.server.audit;

import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.AuditHead;
import dev.agwp.server.message.ListAuditEventsResponse;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.CheckpointKey;
import java.util.List;

/** listAuditEvents and getAuditHead. */
public final class ReadAudit {
  private static final long AFTER_DEFAULT = 0;
  private static final int LIMIT_DEFAULT = 100;
  private static final long MS_PER_SECOND = 1_000;

  private final Database database;
  private final CheckpointKey key;

  /** @param key signs the checkpoint of the head; null for none */
  public ReadAudit(Database database, CheckpointKey key) {
    this.database = database;
    this.key = key;
  }

  ListAuditEventsResponse page(Long after, Integer limit) {
    List<EventRow> events = database.read(tx -> tx.auditLog().events(
        after == null ? AFTER_DEFAULT : after, limit == null ? LIMIT_DEFAULT : limit));
    return new ListAuditEventsResponse().events(events.stream().map(EventRow::toMessage).toList());
  }

  AuditHead head() {
    Long unsealedAgeMs = unsealedAgeMs();
    HeadRow head = database.read(tx -> tx.auditLog().head());
    return new AuditHead()
        .seq(head.seq())
        .chainHash(Sha256.written(head.chainHash()))
        .sealedAt(Timestamps.ofMillis(head.sealedAt()))
        .unsealedAgeSeconds(unsealedAgeMs == null ? null : unsealedAgeMs / MS_PER_SECOND)
        .checkpoint(key == null ? null : key.sign(head.checkpoint()));
  }

  /** Since when the oldest event that is not sealed waits; 0 when there is none. */
  public double unsealedAgeSeconds() {
    Long ageMs = unsealedAgeMs();
    return ageMs == null ? 0 : (double) ageMs / MS_PER_SECOND;
  }

  /** Null when every event is sealed. */
  private Long unsealedAgeMs() {
    Long ageMs = database.read(tx -> tx.auditLog().unsealedAgeMs());
    // A clock that was set back must not give an age below nothing.
    return ageMs == null ? null : Math.max(0, ageMs);
  }
}

package dev.agwp.server.audit;

import dev.agwp.server.api.AuditApi;
import dev.agwp.server.message.AuditHead;
import dev.agwp.server.message.ListAuditEventsResponse;

/** The audit operations over HTTP. */
public final class AuditResource implements AuditApi {
  private final ReadAudit readAudit;

  public AuditResource(ReadAudit readAudit) {
    this.readAudit = readAudit;
  }

  @Override
  public ListAuditEventsResponse listAuditEvents(Long after, Integer limit) {
    return readAudit.page(after, limit);
  }

  @Override
  public AuditHead getAuditHead() {
    return readAudit.head();
  }
}

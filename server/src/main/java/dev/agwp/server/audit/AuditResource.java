package dev.agwp.server.audit;

import static dev.agwp.server.http.ErrorCode.PERMISSION_DENIED;

import dev.agwp.server.api.AuditApi;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.CurrentRequest;
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
    refuseWhoMaySeeSomeQueues();
    return readAudit.page(after, limit);
  }

  @Override
  public AuditHead getAuditHead() {
    refuseWhoMaySeeSomeQueues();
    return readAudit.head();
  }

  private static void refuseWhoMaySeeSomeQueues() {
    Caller caller = Caller.of(CurrentRequest.get());
    if (!caller.queues().areAll()) {
      throw new ApiException(PERMISSION_DENIED, "this credential is for " + caller.queues() + " only, and the audit log tells of all queues");
    }
  }
}

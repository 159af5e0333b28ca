package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.HeartbeatJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;

/** heartbeatJob: gives a held claim a new lease. */
public final class HeartbeatJob {
  private final Database database;

  public HeartbeatJob(Database database) {
    this.database = database;
  }

  Job run(Caller caller, String jobId, HeartbeatJobRequest request) {
    Holder holder = Holder.of(caller, request.getWorker());
    FencingToken token = FencingToken.of(request.getFencingToken());
    int leaseSeconds = request.getLeaseSeconds() == null ? ClaimJob.LEASE_SECONDS_DEFAULT : request.getLeaseSeconds();
    return database.inTransaction(tx -> {
      JobRow kept = tx.jobs()
          .heartbeat(jobId, holder.name(), token.attempts(), leaseSeconds, request.getProgress(), request.getStatusMessage());
      if (kept == null) {
        throw LostClaim.explain(tx, jobId, holder, token, NOT_FOUND);
      }
      return kept.toMessage();
    });
  }
}

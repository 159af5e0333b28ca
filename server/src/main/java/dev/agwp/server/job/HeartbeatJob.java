package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.HeartbeatJobRequest;
import dev.agwp.server.message.Job;

/** heartbeatJob: gives a held claim a new lease. */
public final class HeartbeatJob {
  private final HolderCalls calls;

  HeartbeatJob(HolderCalls calls) {
    this.calls = calls;
  }

  Job run(Caller caller, String jobId, HeartbeatJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    int leaseSeconds = request.getLeaseSeconds() == null ? ClaimJob.LEASE_SECONDS_DEFAULT : request.getLeaseSeconds();
    Heartbeat heartbeat = new Heartbeat(call, leaseSeconds, request.getProgress(), request.getStatusMessage());
    return calls.apply(heartbeat, NOT_FOUND, (tx, alone, wait) -> tx.jobs().heartbeat(alone, wait)).toMessage();
  }
}

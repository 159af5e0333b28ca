package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.job.HolderCalls.Change;
import dev.agwp.server.message.HeartbeatJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobHeartbeat;
import dev.agwp.server.message.JobResults;
import java.util.List;

/** heartbeatJob and heartbeatJobs: gives held claims a new lease. */
public final class HeartbeatJob {
  private static final Change<Heartbeat> CHANGE = (tx, heartbeats, wait) -> tx.jobs().heartbeat(heartbeats, wait);

  private final HolderCalls calls;

  HeartbeatJob(HolderCalls calls) {
    this.calls = calls;
  }

  Job one(Caller caller, String jobId, HeartbeatJobRequest request) {
    return calls.apply(caller, heartbeat(caller, jobId, request), NOT_FOUND, CHANGE).toMessage();
  }

  JobResults all(Caller caller, List<JobHeartbeat> requests) {
    List<Heartbeat> heartbeats = ManyCalls.of("heartbeats", "heartbeat", requests,
        each -> heartbeat(caller, each.getJobId(), each.getHeartbeat()));
    return ManyCalls.toMessage(calls.applyAll(caller, heartbeats, NOT_FOUND, CHANGE));
  }

  private Heartbeat heartbeat(Caller caller, String jobId, HeartbeatJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    int leaseSeconds = request.getLeaseSeconds() == null ? ClaimJob.LEASE_SECONDS_DEFAULT : request.getLeaseSeconds();
    return new Heartbeat(call, leaseSeconds, request.getProgress(), request.getStatusMessage());
  }
}

package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.agwp.server.http.Caller;
import dev.agwp.server.message.ClaimNext;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * What {@link JobMapper#claim} gives to one request.
 *
 * @param requestId null when the request has none
 * @param httpRequestId the X-Request-Id of the call, for the audit log
 */
public record Claiming(
    @JsonIgnore List<String> queues, Holder holder, int leaseSeconds, int maxJobs, String requestId, @JsonIgnore String httpRequestId)
    implements JobCall {
  private static final int MAX_JOBS_DEFAULT = 1;

  static Claiming of(
      Holder holder, List<String> queues, Integer leaseSeconds, Integer maxJobs, String requestId, String httpRequestId) {
    return new Claiming(
        queues.stream().distinct().toList(),
        holder,
        leaseSeconds == null ? ClaimJob.LEASE_SECONDS_DEFAULT : leaseSeconds,
        maxJobs == null ? MAX_JOBS_DEFAULT : maxJobs,
        requestId,
        httpRequestId);
  }

  /** Null for null. */
  static Claiming next(Caller caller, HolderCall call, ClaimNext request) {
    if (request == null) {
      return null;
    }
    caller.checkQueues("claim_next.queues", request.getQueues());
    // A holder may end several jobs at once, so that each of these claims needs a name of its own.
    String requestId = request.getRequestId() == null ? UUID.randomUUID().toString() : request.getRequestId();
    return of(call.holder(), request.getQueues(), request.getLeaseSeconds(), MAX_JOBS_DEFAULT, requestId, call.requestId());
  }

  @Override
  public Object subject() {
    return Arrays.asList(holder, requestId);
  }

  boolean gave(JobRow job) {
    return Arrays.asList(holder.name(), requestId).equals(Arrays.asList(job.claimedBy(), job.claimRequestId()));
  }
}

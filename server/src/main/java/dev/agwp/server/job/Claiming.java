package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Arrays;
import java.util.List;

/**
 * What {@link JobMapper#claim} gives to one request.
 *
 * @param requestId null when the request has none
 */
public record Claiming(@JsonIgnore List<String> queues, Holder holder, int leaseSeconds, int maxJobs, String requestId)
    implements JobCall {

  @Override
  public Object subject() {
    return Arrays.asList(holder, requestId);
  }

  boolean gave(JobRow job) {
    return Arrays.asList(holder.name(), requestId).equals(Arrays.asList(job.claimedBy(), job.claimRequestId()));
  }
}

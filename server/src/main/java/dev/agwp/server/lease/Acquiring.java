package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.job.Holder;
import dev.agwp.server.message.AcquireLeaseRequest;
import java.util.List;

/**
 * What {@link Grant} gives to one request.
 *
 * @param ranges all that overlaps the paths
 * @param requestId null when the request has none
 * @param httpRequestId the X-Request-Id of the call
 */
record Acquiring(
    String repo, List<String> paths, List<PathRange> ranges, String holder, int ttlSeconds, String requestId, String httpRequestId) {
  static Acquiring of(Caller caller, AcquireLeaseRequest request) {
    List<String> paths = RepoPath.checked(request.getPaths());
    return new Acquiring(
        request.getRepo(),
        paths,
        PathRange.overlapping(paths),
        Holder.of(caller, request.getHolder()).name(),
        request.getTtlSeconds() == null ? AcquireLease.TTL_SECONDS_DEFAULT : request.getTtlSeconds(),
        request.getRequestId(),
        caller.requestId());
  }

  /** About what it takes in memory while it waits. */
  int bytes() {
    return ranges.stream().mapToInt(PathRange::bytes).sum();
  }
}

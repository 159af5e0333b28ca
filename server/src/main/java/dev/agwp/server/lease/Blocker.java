package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Reason;
import dev.agwp.server.http.Timestamps;

/**
 * What stands in the way of an acquire.
 *
 * @param place where the path stands in the request
 * @param path what overlaps it
 * @param expiresAt when the lease on it ends; null when its holder waits for one, since before
 */
public record Blocker(int place, String path, String holder, Long expiresAt) {
  ApiException refusal(Acquiring asked) {
    String how = expiresAt == null ? "which " + holder + " waits for since before this call"
        : "which " + holder + " holds until " + Timestamps.text(expiresAt);
    return new ApiException(FAILED_PRECONDITION,
        RepoPath.field(place) + " " + asked.paths().get(place) + " overlaps " + path + ", " + how + "; nothing was leased")
        .at(RepoPath.field(place)).because(Reason.LEASE_HELD);
  }
}

package dev.agwp.server.lease;

import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.Lease;
import java.util.List;

/**
 * A row of the lease table; the one place where it becomes a message.
 *
 * @param state {@code expired} also where the row says held and its time has passed
 */
public record LeaseRow(
    String leaseId,
    String repo,
    String paths,
    String holder,
    long fencingToken,
    long acquiredAt,
    long expiresAt,
    String state) {

  Lease toMessage() {
    return new Lease()
        .leaseId(leaseId)
        .repo(repo)
        .paths(pathList())
        .holder(holder)
        .fencingToken(fencingToken)
        .acquiredAt(Timestamps.ofMillis(acquiredAt))
        .expiresAt(Timestamps.ofMillis(expiresAt))
        .state(state);
  }

  boolean isReleased() {
    return state.equals("released");
  }

  List<String> pathList() {
    return JsonList.texts(paths);
  }
}

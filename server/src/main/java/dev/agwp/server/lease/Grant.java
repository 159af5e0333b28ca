package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Transaction;
import java.util.List;

/** Gives a lease, or finds what stands in its way, within one transaction. */
final class Grant {
  /** A folder may hold any number of expired leases, each with a megabyte of paths; a statement takes 65,535 parameters at most. */
  private static final int ENDED_AT_ONCE_MAX = 100;
  private static final TimeBasedEpochGenerator LEASE_IDS = Generators.timeBasedEpochGenerator();

  private Grant() {}

  /** @param ticket of the acquire when it waits; null when it has none */
  static Attempt attempt(Transaction tx, Acquiring asked, Long ticket) {
    LeaseRepo repo = LeaseRepo.lock(tx, asked.repo());
    LeaseRow before = asked.requestId() == null ? null
        : tx.leases().findRepeated(asked.repo(), asked.holder(), asked.requestId(), repo.nowMs());
    if (before != null) {
      return Attempt.repeated(sameRequest(asked, before));
    }
    Blocker blocker = tx.leases().blocker(asked.repo(), AskedRange.list(asked, ticket), repo.nowMs());
    if (blocker != null) {
      return Attempt.blocked(blocker);
    }
    endExpired(tx, asked, repo);
    return Attempt.given(give(tx, asked, repo));
  }

  private static LeaseRow sameRequest(Acquiring asked, LeaseRow before) {
    if (!before.pathList().equals(asked.paths())) {
      throw new ApiException(INVALID_ARGUMENT, "request_id was used for other paths, or in another order, whose lease is held; use a new one")
          .at("request_id");
    }
    return before;
  }

  /** Nothing unexpired is in the way: what overlaps has expired, and can be renewed no longer. */
  private static void endExpired(Transaction tx, Acquiring asked, LeaseRepo repo) {
    List<Long> overlapping = tx.leases().overlapping(asked.repo(), asked.ranges());
    for (int from = 0; from < overlapping.size(); from += ENDED_AT_ONCE_MAX) {
      List<Long> some = overlapping.subList(from, Math.min(from + ENDED_AT_ONCE_MAX, overlapping.size()));
      for (LeaseRow ended : tx.leases().endExpired(asked.repo(), some, repo.nowMs())) {
        tx.leases().endPaths(asked.repo(), ended.fencingToken());
        tx.audit(LeaseEvents.expired(ended, repo.nowMs()));
      }
    }
  }

  private static LeaseRow give(Transaction tx, Acquiring asked, LeaseRepo repo) {
    long token = tx.leases().nextToken(asked.repo());
    List<PathRow> paths = PathRow.of(asked.paths());
    tx.leases().storePaths(asked.repo(), token, paths);
    LeaseRow lease = tx.leases().store(new NewLease(
        asked.repo(), token, LEASE_IDS.generate().toString(), JsonList.text(asked.paths()), asked.holder(), asked.requestId(),
        repo.nowMs(), asked.ttlSeconds()));
    tx.audit(LeaseEvents.acquired(lease, asked.httpRequestId()));
    return lease;
  }
}

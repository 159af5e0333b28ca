package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;
import static dev.agwp.server.http.Reason.LEASE_EXPIRED;
import static dev.agwp.server.http.Reason.NOT_HOLDER;
import static dev.agwp.server.http.Reason.STALE_BASE;
import static dev.agwp.server.http.Reason.STALE_FENCING_TOKEN;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Reason;
import dev.agwp.server.message.IntegrateRequest;
import dev.agwp.server.storage.Transaction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Whether a change may be taken in: its leases are the caller's and current, and what it builds on is what there is. */
final class CurrentLeases {
  private static final String UNCOVERED = "no lease covers it; acquire one first";

  private CurrentLeases() {}

  /**
   * The paths of the change with the tokens that cover them.
   *
   * @param repo null for one that nobody ever leased in
   * @throws ApiException {@code failed_precondition} naming the first path that may not be integrated
   */
  static List<CoveredPath> require(Transaction tx, LeaseRepo repo, String holder, IntegrateRequest request) {
    if (repo == null) {
      throw refused(request, 0, NOT_HOLDER, UNCOVERED);
    }
    List<CoveredPath> covered = covered(tx, repo, holder, request);
    List<CoveredPath.Range> ranges = covered.stream().flatMap(CoveredPath::ranges).toList();
    Integer outdated = tx.integrations().firstOutdated(repo.repo(), ranges);
    if (outdated != null) {
      throw refused(request, outdated, STALE_FENCING_TOKEN,
          "a lease that overlaps it was given since, or has integrated; its fencing_token is not the highest");
    }
    if (request.getBase() != null) {
      requireBase(tx, request, ranges);
    }
    return covered;
  }

  private static List<CoveredPath> covered(Transaction tx, LeaseRepo repo, String holder, IntegrateRequest request) {
    Map<String, Cover> covers = covers(tx, repo, request.getPaths());
    Set<Long> tokens = new HashSet<>(request.getFencingTokens());
    List<CoveredPath> covered = new ArrayList<>();
    for (int i = 0; i < request.getPaths().size(); i++) {
      String path = request.getPaths().get(i);
      Cover cover = RepoPath.andFoldersAbove(path).stream().filter(covers::containsKey).map(covers::get).findFirst().orElse(null);
      if (cover == null) {
        throw refused(request, i, NOT_HOLDER, UNCOVERED);
      }
      if (!cover.holder().equals(holder)) {
        throw refused(request, i, NOT_HOLDER, cover.holder() + " holds the lease that covers it");
      }
      if (!tokens.contains(cover.fencingToken())) {
        throw refused(request, i, STALE_FENCING_TOKEN, "none of fencing_tokens is that of the lease that covers it now");
      }
      if (!cover.unexpired()) {
        throw refused(request, i, LEASE_EXPIRED, "the lease that covers it has expired; renew it first");
      }
      covered.add(new CoveredPath(i, path, cover.fencingToken()));
    }
    return covered;
  }

  private static Map<String, Cover> covers(Transaction tx, LeaseRepo repo, List<String> paths) {
    Set<String> names = new LinkedHashSet<>();
    paths.forEach(path -> names.addAll(RepoPath.andFoldersAbove(path)));
    return tx.integrations().covers(repo.repo(), PathRow.of(names), repo.nowMs()).stream()
        .collect(Collectors.toMap(Cover::path, Function.identity()));
  }

  private static void requireBase(Transaction tx, IntegrateRequest request, List<CoveredPath.Range> ranges) {
    IntegrationRow base = tx.integrations().find(request.getBase());
    if (base == null || !base.repo().equals(request.getRepo())) {
      throw new ApiException(FAILED_PRECONDITION, "base must be an integration of " + request.getRepo() + ", got " + request.getBase())
          .at("base").because(STALE_BASE);
    }
    Changed changed = tx.integrations().firstChangedBetween(request.getRepo(), ranges, base.sequence(), Long.MAX_VALUE);
    if (changed != null) {
      throw refused(request, changed.place(), STALE_BASE,
          "integration " + changed.integrationId() + " has changed it since base; build on that one");
    }
  }

  private static ApiException refused(IntegrateRequest request, int place, Reason reason, String why) {
    String field = RepoPath.field(place);
    return new ApiException(FAILED_PRECONDITION,
        field + " " + request.getPaths().get(place) + " may not be integrated: " + why + "; nothing was stored").at(field).because(reason);
  }
}

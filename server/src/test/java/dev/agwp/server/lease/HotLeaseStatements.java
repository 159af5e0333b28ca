package dev.agwp.server.lease;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The statements of leases and integrations that read what many calls have left, with parameters as a busy server has them. */
public final class HotLeaseStatements {
  private HotLeaseStatements() {}

  /**
   * Of {@link LeaseMapper}: the parameters by the name of the statement, for a repo called r.
   *
   * @param leases how many it has seen, an even number
   */
  public static Map<String, Map<String, Object>> ofLeases(int leases) {
    long token = middle(leases);
    List<String> paths = paths(leases);
    Acquiring asked = new Acquiring("r", paths, PathRange.overlapping(paths), "local|w", 60, "request", "call");
    List<AskedRange> waiting = Stream.of(leases - 1L, (long) leases).flatMap(ticket -> AskedRange.of(asked, ticket)).toList();
    Map<String, Map<String, Object>> statements = new LinkedHashMap<>();
    statements.put("lock", Map.of("repo", "r"));
    statements.put("findRepeated", Map.of("repo", "r", "holder", "local|w", "requestId", "request", "nowMs", 1_000L));
    statements.put("blocker", Map.of("repo", "r", "rows", AskedRange.list(asked, null), "nowMs", 1_000L));
    statements.put("blocked", Map.of("repo", "r", "rows", waiting));
    statements.put("given", Map.of("repo", "r", "rows", List.of(new WaitingRequest(1, "local|w", "request"))));
    statements.put("overlapping", Map.of("repo", "r", "rows", asked.ranges()));
    statements.put("endExpired", Map.of("repo", "r", "tokens", List.of(token, token + 2), "nowMs", 1_000L));
    statements.put("endPaths", Map.of("repo", "r", "fencingToken", token));
    statements.put("nextToken", Map.of("repo", "r"));
    statements.put("renew", Map.of("call", new LeaseCall("l" + token, "local|w", token, "call"), "ttlSeconds", 60));
    statements.put("release", Map.of("call", new LeaseCall("l" + token, "local|w", token, "call")));
    statements.put("find", Map.of("leaseId", "l" + token));
    statements.put("sizes", Map.of("repo", "r", "beforeToken", token, "leasesMax", 10));
    statements.put("list", Map.of("repo", "r", "newest", token, "oldest", token - 9));
    statements.put("keepTickets", Map.of("tickets", List.of(1L, 2L), "aliveMs", 1_000L));
    statements.put("dropTickets", Map.of("tickets", List.of(1L, 2L)));
    statements.put("dropTicketPaths", Map.of("tickets", List.of(1L, 2L)));
    statements.put("staleTickets", Map.of("repo", "r", "deadSince", 1L));
    return statements;
  }

  /** Of {@link IntegrationMapper}. */
  public static Map<String, Map<String, Object>> ofIntegrations(int leases) {
    List<String> paths = paths(leases);
    List<CoveredPath.Range> ranges = Stream.of(new CoveredPath(0, paths.get(0), leases - 10), new CoveredPath(1, paths.get(1), leases - 10))
        .flatMap(CoveredPath::ranges).toList();
    Map<String, Map<String, Object>> statements = new LinkedHashMap<>();
    statements.put("covers", Map.of("repo", "r", "rows", PathRow.of(paths), "nowMs", 1_000L));
    statements.put("firstOutdated", Map.of("repo", "r", "rows", ranges));
    statements.put("firstChangedBetween", Map.of("repo", "r", "rows", ranges, "after", leases - 50L, "before", Long.MAX_VALUE));
    statements.put("firstChangedWithout", Map.of("repo", "r", "rows", ranges, "after", leases - 50L, "before", Long.MAX_VALUE));
    statements.put("nextSequence", Map.of("repo", "r"));
    statements.put("find", Map.of("integrationId", "i1"));
    statements.put("findRepeated", Map.of("repo", "r", "holder", "local|w", "requestId", "request"));
    statements.put("ofJobs", Map.of("jobIds", IntStream.rangeClosed(1, 32).mapToObj(i -> "j" + i).toList()));
    statements.put("sizes", Map.of("repo", "r", "beforeSequence", middle(leases), "integrationsMax", 10));
    statements.put("list", Map.of("repo", "r", "newest", middle(leases), "oldest", middle(leases) - 9));
    return statements;
  }

  /** The token of a lease that is held. */
  private static long middle(int leases) {
    return leases / 2 + 1L;
  }

  private static List<String> paths(int leases) {
    return List.of("d" + middle(leases) % 1000 + "/f" + middle(leases), "d2/sub/", "d3/f3");
  }
}

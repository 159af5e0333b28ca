package dev.agwp.server.lease;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The statements of leases and integrations that read what many calls have left, with parameters as a busy server has them. */
public final class HotLeaseStatements {
  private static final List<String> PATHS = List.of("d1/f50001", "d2/sub/", "d3/f3");

  private HotLeaseStatements() {}

  /** Of {@link LeaseMapper}: the parameters by the name of the statement, for a repo called r. */
  public static Map<String, Map<String, Object>> ofLeases() {
    Acquiring asked = new Acquiring("r", PATHS, PathRange.overlapping(PATHS), "local|w", 60, "request");
    List<AskedRange> waiting = Stream.of(90_001L, 90_002L).flatMap(ticket -> AskedRange.of(asked, ticket)).toList();
    Map<String, Map<String, Object>> statements = new LinkedHashMap<>();
    statements.put("lock", Map.of("repo", "r"));
    statements.put("findRepeated", Map.of("repo", "r", "holder", "local|w", "requestId", "request", "nowMs", 1_000L));
    statements.put("blocker", Map.of("repo", "r", "rows", AskedRange.list(asked, null), "nowMs", 1_000L));
    statements.put("blocked", Map.of("repo", "r", "rows", waiting));
    statements.put("overlapping", Map.of("repo", "r", "rows", asked.ranges()));
    statements.put("endExpired", Map.of("repo", "r", "tokens", List.of(50_001L, 50_003L), "nowMs", 1_000L));
    statements.put("endPaths", Map.of("repo", "r", "fencingToken", 50_001L, "rows", PathRow.of(PATHS)));
    statements.put("nextToken", Map.of("repo", "r"));
    statements.put("renew", Map.of("call", new LeaseCall("l50001", "local|w", 50_001), "ttlSeconds", 60));
    statements.put("release", Map.of("call", new LeaseCall("l50001", "local|w", 50_001)));
    statements.put("find", Map.of("leaseId", "l50001"));
    statements.put("list", Map.of("repo", "r", "beforeToken", 50_000L, "leasesMax", 10));
    statements.put("keepTickets", Map.of("tickets", List.of(1L, 2L), "aliveMs", 1_000L));
    statements.put("dropTickets", Map.of("tickets", List.of(1L, 2L)));
    statements.put("dropTicketPaths", Map.of("tickets", List.of(1L, 2L)));
    statements.put("staleTickets", Map.of("repo", "r", "deadSince", 1L));
    return statements;
  }

  /** Of {@link IntegrationMapper}. */
  public static Map<String, Map<String, Object>> ofIntegrations() {
    List<CoveredPath.Range> ranges = Stream.of(new CoveredPath(0, PATHS.get(0), 99_990), new CoveredPath(1, PATHS.get(1), 99_990))
        .flatMap(CoveredPath::ranges).toList();
    Map<String, Map<String, Object>> statements = new LinkedHashMap<>();
    statements.put("covers", Map.of("repo", "r", "rows", PathRow.of(PATHS), "nowMs", 1_000L));
    statements.put("firstOutdated", Map.of("repo", "r", "rows", ranges));
    statements.put("firstChangedSince", Map.of("repo", "r", "rows", ranges, "sequence", 99_950L));
    statements.put("nextSequence", Map.of("repo", "r"));
    statements.put("find", Map.of("integrationId", "i1"));
    statements.put("findRepeated", Map.of("repo", "r", "holder", "local|w", "requestId", "request"));
    statements.put("list", Map.of("repo", "r", "beforeSequence", 50_000L, "integrationsMax", 10));
    return statements;
  }
}

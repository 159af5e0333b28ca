package dev.agwp.server.job;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The statements of {@link JobMapper} that run for every job, with parameters as a busy server has them. */
public final class HotStatements {
  private static final int CALLS = 32;

  private HotStatements() {}

  /** The rows for a claim of {@code local|worker}; which queues it is from, another parameter says. */
  public static List<ClaimingInOrder> claimOf(String worker, int maxJobs) {
    return ClaimingInOrder.of(List.of(new Claiming(List.of(), new Holder("local", worker), 60, maxJobs, "request", "request")));
  }

  /** The parameters by the name of the statement, for jobs called {@code j1}, {@code j2} and so on, on the queues q0 and q1. */
  public static Map<String, Map<String, Object>> all() {
    List<HolderCall> calls = IntStream.rangeClosed(1, CALLS)
        .mapToObj(i -> new HolderCall("j" + i, new Holder("local", "w"), new FencingToken(1L, false), "request")).toList();
    Map<String, Map<String, Object>> statements = new LinkedHashMap<>();
    statements.put("claim", Map.of("queues", List.of("q0", "q1"), "rows", claimOf("w", CALLS), "jobsMax", CALLS));
    statements.put("findClaimed", Map.of("rows", claimOf("w", 1).stream().map(ClaimingInOrder::request).toList()));
    statements.put("settleDue", Map.of("jobsMax", CALLS));
    statements.put("millisUntilDue", Map.of());
    statements.put("find", Map.of("jobId", "j1"));
    statements.put("findLiveByUniqueKey", Map.of("queue", "q0", "uniqueKey", "k1"));
    for (boolean wait : List.of(true, false)) {
      String suffix = wait ? "" : " of many";
      statements.put("heartbeat" + suffix,
          Map.of("wait", wait, "rows", calls.stream().map(call -> new Heartbeat(call, 60, 1, "step")).toList()));
      statements.put("complete" + suffix,
          Map.of("wait", wait, "rows", calls.stream().map(call -> new Completion(call, "passed", null, null, null, null, null)).toList()));
      statements.put("fail" + suffix,
          Map.of("wait", wait, "rows", calls.stream().map(call -> new Failure(call, "r", null, 0L, 1000, false, null)).toList()));
      statements.put("release" + suffix, Map.of("wait", wait, "rows", calls.stream().map(Release::new).toList()));
    }
    return statements;
  }
}

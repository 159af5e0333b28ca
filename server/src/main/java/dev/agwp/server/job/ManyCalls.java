package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Problems;
import dev.agwp.server.job.HolderCalls.Result;
import dev.agwp.server.message.JobResult;
import dev.agwp.server.message.JobResults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The calls of one request for many jobs. */
final class ManyCalls {
  private ManyCalls() {}

  /**
   * Makes the calls, or refuses the whole request before any of them is applied.
   *
   * @param list the name of the list in the request
   * @param member the name of what each item holds beside its {@code job_id}
   */
  static <R, C extends OfHolder> List<C> of(String list, String member, List<R> requests, Function<R, C> call) {
    Map<String, Integer> places = new HashMap<>();
    List<C> calls = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      String place = list + "[" + i + "]";
      try {
        calls.add(call.apply(requests.get(i)));
      } catch (ApiException refusal) {
        throw refusal.within(place + "." + member);
      }
      Integer before = places.put(calls.get(i).call().jobId(), i);
      if (before != null) {
        throw new ApiException(INVALID_ARGUMENT,
            place + ".job_id is that of " + list + "[" + before + "] too; send one call for each job").at(place + ".job_id");
      }
    }
    return calls;
  }

  static JobResults toMessage(List<Result> results) {
    return new JobResults().results(results.stream().map(result -> result.refusal() == null
        ? new JobResult().job(result.applied().toMessage())
        : new JobResult().error(Problems.error(result.refusal()))).toList());
  }
}

package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.job.HolderCalls.Applied;
import dev.agwp.server.job.HolderCalls.Change;
import dev.agwp.server.job.HolderCalls.Result;
import dev.agwp.server.message.FailJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobFailure;
import dev.agwp.server.message.JobResults;
import dev.agwp.server.queue.QueueSignals;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** failJob and failJobs: ends attempts without a verdict. */
public final class FailJob {
  private static final String REASON_DEFAULT = "failed";
  private static final long MS_PER_SECOND = 1_000;
  // The backoff is taken between half of itself and all of it, so that jobs that failed together do not come back together.
  private static final int JITTER_PERMILLE_MIN = 500;
  private static final int JITTER_PERMILLE_MAX = 1_000;

  private static final Change<Failure> CHANGE = (tx, failures, wait) -> tx.jobs().fail(failures, wait);

  private final HolderCalls calls;
  private final QueueSignals signals;
  private final DueJobs dueJobs;

  FailJob(HolderCalls calls, QueueSignals signals, DueJobs dueJobs) {
    this.calls = calls;
    this.signals = signals;
    this.dueJobs = dueJobs;
  }

  Job one(Caller caller, String jobId, FailJobRequest request) {
    Applied applied = calls.apply(caller, failure(caller, jobId, request), NOT_FOUND, CHANGE);
    announce(applied.job());
    return applied.toMessage();
  }

  JobResults all(Caller caller, List<JobFailure> requests) {
    List<Failure> failures = ManyCalls.of("failures", "failure", requests,
        each -> failure(caller, each.getJobId(), each.getFailure()));
    List<Result> results = calls.applyAll(caller, failures, NOT_FOUND, CHANGE);
    results.stream().filter(result -> result.refusal() == null).forEach(result -> announce(result.applied().job()));
    return ManyCalls.toMessage(results);
  }

  private Failure failure(Caller caller, String jobId, FailJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    return new Failure(
        call,
        request.getReason() == null ? REASON_DEFAULT : request.getReason(),
        request.getMessage(),
        request.getRetryDelaySeconds() == null ? null : request.getRetryDelaySeconds() * MS_PER_SECOND,
        ThreadLocalRandom.current().nextInt(JITTER_PERMILLE_MIN, JITTER_PERMILLE_MAX + 1),
        Boolean.TRUE.equals(request.getTerminal()),
        Claiming.next(caller, call, request.getClaimNext()));
  }

  private void announce(JobRow ended) {
    if (ended.isQueued()) {
      dueJobs.mayBeDueIn(ended.runAt() - ended.updatedAt());
      signals.mayBeClaimable(ended.queue());
    }
  }
}

package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.FailJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.queue.QueueSignals;
import java.util.concurrent.ThreadLocalRandom;

/** failJob: ends an attempt without a verdict. */
public final class FailJob {
  private static final String REASON_DEFAULT = "failed";
  private static final long MS_PER_SECOND = 1_000;
  // The backoff is taken between half of itself and all of it, so that jobs that failed together do not come back together.
  private static final int JITTER_PERMILLE_MIN = 500;
  private static final int JITTER_PERMILLE_MAX = 1_000;

  private final HolderCalls calls;
  private final QueueSignals signals;
  private final DueJobs dueJobs;

  FailJob(HolderCalls calls, QueueSignals signals, DueJobs dueJobs) {
    this.calls = calls;
    this.signals = signals;
    this.dueJobs = dueJobs;
  }

  Job run(Caller caller, String jobId, FailJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    String reason = request.getReason() == null ? REASON_DEFAULT : request.getReason();
    Long retryDelayMs = request.getRetryDelaySeconds() == null ? null : request.getRetryDelaySeconds() * MS_PER_SECOND;
    int jitterPermille = ThreadLocalRandom.current().nextInt(JITTER_PERMILLE_MIN, JITTER_PERMILLE_MAX + 1);
    boolean terminal = Boolean.TRUE.equals(request.getTerminal());
    Failure failure = new Failure(call, reason, request.getMessage(), retryDelayMs, jitterPermille, terminal);
    JobRow ended = calls.apply(failure, NOT_FOUND, (tx, alone, wait) -> tx.jobs().fail(alone, wait));
    if (ended.isQueued()) {
      dueJobs.mayBeDueIn(ended.runAt() - ended.updatedAt());
      signals.mayBeClaimable(ended.queue());
    }
    return ended.toMessage();
  }
}

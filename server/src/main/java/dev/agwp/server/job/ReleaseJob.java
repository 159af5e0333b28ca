package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.ReleaseJobRequest;
import dev.agwp.server.queue.QueueSignals;

/** releaseJob: hands a claim back without using up an attempt. */
public final class ReleaseJob {
  private final HolderCalls calls;
  private final QueueSignals signals;

  ReleaseJob(HolderCalls calls, QueueSignals signals) {
    this.calls = calls;
    this.signals = signals;
  }

  Job run(Caller caller, String jobId, ReleaseJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    JobRow released = calls.apply(caller, new Release(call), NOT_FOUND, (tx, alone, wait) -> tx.jobs().release(alone, wait)).job();
    signals.mayBeClaimable(released.queue());
    return released.toMessage();
  }
}

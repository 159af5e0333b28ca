package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.ReleaseJobRequest;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;

/** releaseJob: hands a claim back without using up an attempt. */
public final class ReleaseJob {
  private final Database database;
  private final QueueSignals signals;

  public ReleaseJob(Database database, QueueSignals signals) {
    this.database = database;
    this.signals = signals;
  }

  Job run(Caller caller, String jobId, ReleaseJobRequest request) {
    Holder holder = Holder.of(caller, request.getWorker());
    FencingToken token = FencingToken.of(request.getFencingToken());
    JobRow released = database.inTransaction(tx -> {
      JobRow job = tx.jobs().release(jobId, holder.name(), token.attempts());
      if (job == null) {
        throw LostClaim.explain(tx, jobId, holder, token, NOT_FOUND);
      }
      return job;
    });
    signals.mayBeClaimable(released.queue());
    return released.toMessage();
  }
}

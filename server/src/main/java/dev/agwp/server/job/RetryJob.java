package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.ALREADY_EXISTS;
import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.lease.IntegrationEvents;
import dev.agwp.server.lease.Revival;
import dev.agwp.server.message.Job;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.UniqueViolation;
import java.util.List;

/** retryJob: puts a dead or cancelled job back on its queue. */
public final class RetryJob {
  private final Database database;
  private final QueueSignals signals;

  public RetryJob(Database database, QueueSignals signals) {
    this.database = database;
    this.signals = signals;
  }

  Job run(Caller caller, String jobId) {
    JobRow retried;
    try {
      retried = database.inTransaction(tx -> {
        HiddenJobs.refuse(tx, caller, jobId);
        JobRow job = tx.jobs().retry(jobId);
        if (job != null) {
          Revival.require(tx, jobId);
          IntegrationEvents.audit(tx, List.of(JobEvents.retried(caller, job)));
          return job;
        }
        JobRow found = tx.jobs().find(jobId);
        throw found == null ? LostClaim.unknown(jobId) : notRetried(found);
      });
    } catch (UniqueViolation keyTaken) {
      throw new ApiException(ALREADY_EXISTS, "another job with the unique key of job " + jobId + " is alive on its queue");
    }
    signals.mayBeClaimable(retried.queue());
    return retried.toMessage();
  }

  private static ApiException notRetried(JobRow job) {
    ApiException refusal = new ApiException(FAILED_PRECONDITION,
        "job " + job.jobId() + " is " + job.state() + "; only a dead or cancelled job can be retried");
    return job.isQueued() || job.isClaimed() ? refusal : refusal.because(LostClaim.ended(job));
  }
}

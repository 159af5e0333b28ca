package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.lease.IntegrationEvents;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;
import java.util.List;

/** cancelJob: ends a job that has not ended. */
public final class CancelJob {
  private final Database database;

  public CancelJob(Database database) {
    this.database = database;
  }

  Job run(Caller caller, String jobId) {
    return database.inTransaction(tx -> {
      HiddenJobs.refuse(tx, caller, jobId);
      JobRow cancelled = tx.jobs().cancel(jobId);
      if (cancelled != null) {
        IntegrationEvents.audit(tx, List.of(JobEvents.cancelled(caller, cancelled)));
        return cancelled.toMessage();
      }
      JobRow job = tx.jobs().find(jobId);
      if (job == null) {
        throw LostClaim.unknown(jobId);
      }
      // Cancelled before: the repeat of a call whose answer was lost.
      if (!job.state().equals("cancelled")) {
        throw new ApiException(FAILED_PRECONDITION, "job " + jobId + " has ended as " + job.state() + " already")
            .because(LostClaim.ended(job));
      }
      return job.toMessage();
    });
  }
}

package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.NOT_FOUND;
import static dev.agwp.server.http.ErrorCode.PERMISSION_DENIED;

import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.Page;
import dev.agwp.server.http.PageToken;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.ListJobsResponse;
import dev.agwp.server.storage.Database;
import java.util.List;

/** getJob, listJobs and getAttestation. */
public final class ReadJobs {
  private static final int PAGE_SIZE_DEFAULT = 100;
  /** Without a name: a server of release 1.4.0 beside this one must read its page tokens. */
  private static final String LIST = "";
  private static final List<String> STATES = List.of("queued", "claimed", "succeeded", "dead", "cancelled");

  private final Database database;

  public ReadJobs(Database database) {
    this.database = database;
  }

  Job one(Caller caller, String jobId) {
    return database.read(tx -> {
      JobRow job = tx.jobs().find(jobId);
      if (job == null || !caller.queues().allow(job.queue())) {
        throw LostClaim.unknown(jobId);
      }
      return job.toMessage();
    });
  }

  ListJobsResponse page(Caller caller, String queue, String state, Integer pageSize, String pageToken) {
    if (state != null && !STATES.contains(state)) {
      throw new ApiException(INVALID_ARGUMENT, "state must be one of " + String.join(", ", STATES)).at("state");
    }
    if (queue != null) {
      caller.checkQueue("queue", queue);
    } else if (!caller.queues().areAll()) {
      throw new ApiException(PERMISSION_DENIED, "queue must be given: this credential is for " + caller.queues() + " only").at("queue");
    }
    int jobsMax = pageSize == null ? PAGE_SIZE_DEFAULT : pageSize;
    long beforeSeq = pageToken == null ? Long.MAX_VALUE : PageToken.readNumber(pageToken, LIST);
    return database.read(tx -> {
      Page page = Page.of(LIST, tx.jobs().sizes(queue, state, beforeSeq, jobsMax + 1), jobsMax);
      return new ListJobsResponse()
          .jobs(tx.jobs().list(queue, state, page.newest(), page.oldest()).stream().map(JobRow::toMessage).toList())
          .nextPageToken(page.nextToken());
    });
  }

  StoredAttestation attestation(Caller caller, String jobId) {
    return database.read(tx -> {
      HiddenJobs.refuse(tx, caller, jobId);
      StoredAttestation attestation = tx.attestations().find(jobId);
      if (attestation != null) {
        return attestation;
      }
      throw tx.jobs().find(jobId) == null ? LostClaim.unknown(jobId)
          : new ApiException(NOT_FOUND, "job " + jobId + " has no attestation");
    });
  }
}

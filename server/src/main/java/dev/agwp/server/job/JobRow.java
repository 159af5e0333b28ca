package dev.agwp.server.job;

import dev.agwp.server.http.JsonObject;
import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobError;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A row of the job table; the one place where it becomes a message. */
public record JobRow(
    long seq,
    String jobId,
    String queue,
    String state,
    String payload,
    int priority,
    long attempts,
    long maxAttempts,
    String claimedBy,
    Long leaseExpiresAt,
    long runAt,
    long createdAt,
    long updatedAt,
    Long finishedAt,
    String outcome,
    String summary,
    String result,
    String errorReason,
    String errorMessage,
    Long errorAt,
    Integer progress,
    String statusMessage,
    String uniqueKey,
    String subjectDigest,
    String attestationDigest,
    String logUrl,
    String claimRequestId,
    Integer claimPosition,
    String attestationKeyId) {

  Job toMessage() {
    return new Job()
        .jobId(jobId)
        .queue(queue)
        .state(state)
        .payload(JsonObject.read(payload))
        .priority(priority)
        .attempts(attempts)
        .maxAttempts(maxAttempts)
        .claimedBy(claimedBy)
        .leaseExpiresAt(Timestamps.ofMillis(leaseExpiresAt))
        .runAt(Timestamps.ofMillis(runAt))
        .createdAt(Timestamps.ofMillis(createdAt))
        .updatedAt(Timestamps.ofMillis(updatedAt))
        .finishedAt(Timestamps.ofMillis(finishedAt))
        .outcome(outcome)
        .summary(summary)
        .result(JsonObject.read(result))
        .lastError(lastError())
        .progress(progress)
        .statusMessage(statusMessage)
        .uniqueKey(uniqueKey)
        .subjectDigest(subjectDigest)
        .attestationDigest(attestationDigest)
        .logUrl(logUrl)
        .attestationKeyId(attestationKeyId);
  }

  private JobError lastError() {
    return errorReason == null ? null
        : new JobError().reason(errorReason).message(errorMessage).at(Timestamps.ofMillis(errorAt));
  }

  static Map<String, JobRow> byId(List<JobRow> jobs) {
    return jobs.stream().collect(Collectors.toMap(JobRow::jobId, Function.identity()));
  }

  boolean isClaimed() {
    return state.equals("claimed");
  }

  boolean isQueued() {
    return state.equals("queued");
  }
}

package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.agwp.server.http.Caller;
import java.util.List;

/** What {@link JobMapper#enqueue} stores; a null {@code runAt} is now by the database's clock. */
public record NewJob(
    String jobId,
    String queue,
    String payload,
    int priority,
    Long runAt,
    long maxAttempts,
    String uniqueKey,
    String subjectDigest,
    @JsonIgnore Caller caller) implements JobCall {

  @Override
  public Object subject() {
    return uniqueKey == null ? jobId : List.of(queue, uniqueKey);
  }

  @Override
  public int bytes() {
    return payload.length();
  }
}

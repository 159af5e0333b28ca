package dev.agwp.server.lease;

import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.Integration;
import java.util.List;

/**
 * An integration with the state that its job gives it; the one place where it becomes a message.
 *
 * @param jobId null where no validation was asked for
 */
public record IntegrationRow(
    String integrationId,
    long sequence,
    String repo,
    String changeDigest,
    String paths,
    String fencingTokens,
    String base,
    String jobId,
    String state,
    long createdAt) {

  Integration toMessage() {
    return new Integration()
        .integrationId(integrationId)
        .sequence(sequence)
        .repo(repo)
        .changeDigest(changeDigest)
        .paths(pathList())
        .fencingTokens(JsonList.numbers(fencingTokens))
        .base(base)
        .state(state)
        .jobId(jobId)
        .createdAt(Timestamps.ofMillis(createdAt));
  }

  List<String> pathList() {
    return JsonList.texts(paths);
  }
}

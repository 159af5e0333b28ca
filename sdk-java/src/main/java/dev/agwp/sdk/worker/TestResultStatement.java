package dev.agwp.sdk.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.attestation.Statement;
import dev.agwp.sdk.model.Job;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * An in-toto Statement that says how the check of a job's subject went, with the predicate
 * <a href="https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md">test-result</a>. It is not signed.
 */
final class TestResultStatement {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TestResultStatement() {}

  static byte[] of(Job job, boolean passed, List<String> command) {
    ObjectNode statement = JSON.createObjectNode();
    statement.put("_type", Statement.TYPE);
    String[] digest = job.getSubjectDigest().split(":", 2);
    statement.putArray("subject").addObject()
        .put("name", job.getJobId())
        .putObject("digest").put(digest[0], digest[1]);
    statement.put("predicateType", Statement.TEST_RESULT_PREDICATE);
    ObjectNode predicate = statement.putObject("predicate");
    predicate.put("result", passed ? "PASSED" : "FAILED");
    ObjectNode configuration = predicate.putArray("configuration").addObject();
    configuration.put("name", "command");
    configuration.put("mediaType", "application/json");
    configuration.put("content",
        Base64.getEncoder().encodeToString(CommandHandler.json(command).getBytes(StandardCharsets.UTF_8)));
    // Binds the statement to one attempt, so that it cannot stand for another.
    configuration.putObject("annotations")
        .put("agwp_job_id", job.getJobId())
        .put("agwp_queue", job.getQueue())
        .put("agwp_attempts", job.getAttempts());
    return CommandHandler.json(statement).getBytes(StandardCharsets.UTF_8);
  }
}

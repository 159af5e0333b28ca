package dev.agwp.sdk.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.attestation.Sha256;
import dev.agwp.attestation.Statement;
import dev.agwp.sdk.model.Job;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An in-toto Statement that says which worker ran what for which claim of a job; server/docs/attestations.md has its fields. */
final class JobStatement {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JobStatement() {}

  static byte[] of(Job job, CommandHandler.Run run) {
    ObjectNode statement = JSON.createObjectNode();
    statement.put("_type", Statement.TYPE);
    statement.putArray("subject").addObject()
        .put("name", job.getJobId())
        .putObject("digest").put("sha256", hex(job.getSubjectDigest()));
    statement.put("predicateType", Statement.JOB_PREDICATE);
    ObjectNode predicate = statement.putObject("predicate");
    predicate.put("job_id", job.getJobId());
    predicate.put("queue", job.getQueue());
    predicate.put("fencing_token", job.getAttempts());
    // A label holds no bar, so the last one parts the two.
    int bar = job.getClaimedBy().lastIndexOf('|');
    predicate.put("principal", job.getClaimedBy().substring(0, bar));
    predicate.put("worker", job.getClaimedBy().substring(bar + 1));
    predicate.put("result", run.passed() ? "PASSED" : "FAILED");
    predicate.put("exit_code", run.status());
    predicate.putObject("command_digest").put("sha256", hex(Sha256.of(ended(run.command()))));
    predicate.put("started_at", run.startedAt().toString());
    predicate.put("finished_at", run.finishedAt().toString());
    return CommandHandler.json(statement).getBytes(StandardCharsets.UTF_8);
  }

  /** Each argument ended by a NUL, which none can hold: no two commands give the same bytes. */
  private static byte[] ended(List<String> command) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String argument : command) {
      bytes.writeBytes(argument.getBytes(StandardCharsets.UTF_8));
      bytes.write(0);
    }
    return bytes.toByteArray();
  }

  private static String hex(String digest) {
    return digest.substring("sha256:".length());
  }
}

package dev.agwp.sdk.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.WorkerListener;
import dev.agwp.sdk.model.Job;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What the worker does, a line at a time, for a person or (with {@code --json}) for a program. */
final class ProgressLines implements WorkerListener {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintWriter out;
  private final boolean json;

  ProgressLines(PrintWriter out, boolean json) {
    this.out = out;
    this.json = json;
  }

  void ready(URI server, List<String> queues, String label) {
    say(event("ready").put("server", server.toString()).put("queues", String.join(",", queues)).put("label", label),
        "waits for jobs of " + String.join(", ", queues) + " at " + server + " as " + label);
  }

  @Override
  public void claimed(Job job) {
    say(event("claimed", job).put("queue", job.getQueue()), job.getJobId() + " claimed, attempt " + job.getAttempts());
  }

  void noAttestation(Job job) {
    say(event("no_attestation", job), job.getJobId() + " has no subject_digest, so nothing is attested");
  }

  @Override
  public void reported(Job job, Outcome outcome) {
    String verdict = outcome.verdictWord();
    say(event("reported", job).put("outcome", verdict).put("text", outcome.text()),
        job.getJobId() + (verdict.equals("none") ? " ended without a verdict" : " " + verdict) + lastLine(outcome.text()));
  }

  @Override
  public void released(Job job) {
    say(event("released", job), job.getJobId() + " handed back");
  }

  @Override
  public void lost(Job job, String why) {
    say(event("lost", job).put("why", why), job.getJobId() + " lost: " + why);
  }

  @Override
  public void unknown(Job job, Outcome outcome) {
    say(event("unknown", job).put("outcome", outcome.verdictWord()),
        job.getJobId() + ": no answer to its outcome, so whether the server has it is not known");
  }

  @Override
  public void unavailable(AgwpException problem) {
    say(event("unavailable").put("detail", problem.getMessage()), "the server gives no jobs now, trying again: " + problem.getMessage());
  }

  private static ObjectNode event(String name) {
    return JSON.createObjectNode().put("time", now()).put("event", name);
  }

  private static ObjectNode event(String name, Job job) {
    return event(name).put("job_id", job.getJobId()).put("attempts", job.getAttempts());
  }

  private static String lastLine(String text) {
    if (text == null || text.isBlank()) {
      return "";
    }
    String[] lines = text.strip().split("\\R");
    // Terminal commands in a program's output must not reach the terminal of whoever watches.
    return ": " + lines[lines.length - 1].replaceAll("\\p{Cntrl}", "?");
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private synchronized void say(ObjectNode event, String text) {
    out.println(json ? event.toString() : now() + " " + text);
    out.flush();
  }
}

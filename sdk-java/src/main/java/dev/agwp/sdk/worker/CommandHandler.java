package dev.agwp.sdk.worker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.SigningKey;
import dev.agwp.attestation.Statement;
import dev.agwp.sdk.ClaimedJob;
import dev.agwp.sdk.JobHandler;
import dev.agwp.sdk.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Runs the command for one job and reads its verdict from the exit status. */
final class CommandHandler implements JobHandler {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  /** Linux takes at most 128 KiB for one variable. */
  private static final int VARIABLE_BYTES_MAX = 64 * 1024;
  private static final int PASSED = 0;
  private static final int FAILED = 1;
  private static final int SIGNALS = 128;
  private static final int REASON_CHARS_MAX = 256;

  private final List<String> command;
  private final SigningKey key;
  private final ProgressLines progress;

  /** @param key signs what is attested; null for an unsigned statement */
  CommandHandler(List<String> command, SigningKey key, ProgressLines progress) {
    this.command = List.copyOf(command);
    this.key = key;
    this.progress = progress;
  }

  @Override
  public Outcome run(ClaimedJob job) throws InterruptedException, IOException {
    byte[] payload = JSON.writeValueAsBytes(job.payload());
    Instant startedAt = Instant.now();
    ProcessTree process;
    try {
      process = ProcessTree.start(command, builder -> describe(job, payload, builder.environment()));
    } catch (IOException notStarted) {
      return Outcome.retry("command_not_started", OutputTail.cut("cannot run " + command.get(0) + ": " + notStarted.getMessage()), null);
    }
    try (process) {
      Thread input = new Thread(() -> feed(process.stdin(), payload), "ag-worker-stdin");
      input.setDaemon(true);
      input.start();
      OutputTail tail = new OutputTail(process.stdout());
      int status = process.waitFor();
      // Children it left behind may hold its output open; they go before the output is read to its end.
      process.close();
      return outcome(job, new Run(command, startedAt, Instant.now(), status), tail.text());
    }
  }

  /** One run of the command. @param status its exit status */
  record Run(List<String> command, Instant startedAt, Instant finishedAt, int status) {
    boolean passed() {
      return status == PASSED;
    }
  }

  private Outcome outcome(ClaimedJob job, Run run, String output) {
    int status = run.status();
    if (status != PASSED && status != FAILED) {
      String how = status > SIGNALS ? "killed_by_signal_" + (status - SIGNALS) : "exit_status_" + status;
      return Outcome.retry(how.substring(0, Math.min(how.length(), REASON_CHARS_MAX)), output, null);
    }
    Outcome verdict = run.passed() ? Outcome.passed(output) : Outcome.failed(output);
    if (job.job().getSubjectDigest() == null) {
      progress.noAttestation(job.job());
      return verdict;
    }
    if (key == null) {
      return verdict.withAttestation(Statement.MEDIA_TYPE, TestResultStatement.of(job.job(), run.passed(), command));
    }
    return verdict.withAttestation(DsseEnvelope.MEDIA_TYPE, DsseEnvelope.sign(JobStatement.of(job.job(), run), key).toJson());
  }

  private static void feed(OutputStream stdin, byte[] payload) {
    try (stdin) {
      stdin.write(payload);
    } catch (IOException notRead) {
      // A command need not read what it is given.
    }
  }

  private static void describe(ClaimedJob job, byte[] payload, Map<String, String> environment) {
    // A worker started by another one's command must not pass that job's words on.
    environment.keySet().removeIf(name -> name.startsWith("AGWP_"));
    environment.put("AGWP_JOB_ID", job.id());
    environment.put("AGWP_QUEUE", job.job().getQueue());
    environment.put("AGWP_ATTEMPTS", String.valueOf(job.attempts()));
    if (job.job().getSubjectDigest() != null) {
      environment.put("AGWP_SUBJECT_DIGEST", job.job().getSubjectDigest());
    }
    if (payload.length <= VARIABLE_BYTES_MAX) {
      environment.put("AGWP_PAYLOAD", new String(payload, StandardCharsets.UTF_8));
      job.payload().forEach((name, value) -> putScalar(environment, name, value));
    }
  }

  private static void putScalar(Map<String, String> environment, String name, Object value) {
    boolean scalar = value instanceof String || value instanceof Number || value instanceof Boolean;
    if (scalar && NAME.matcher(name).matches() && value.toString().indexOf('\0') < 0) {
      environment.put("AGWP_PAYLOAD_" + name.toUpperCase(Locale.ROOT), value.toString());
    }
  }

  static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}

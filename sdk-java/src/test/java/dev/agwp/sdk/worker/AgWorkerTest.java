package dev.agwp.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.RecordingServer;
import dev.agwp.sdk.testing.RecordingServer.Answer;
import dev.agwp.sdk.testing.RecordingServer.Seen;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ag-worker as its users run it: a process, with real commands. */
@Execution(ExecutionMode.CONCURRENT)
final class AgWorkerTest {
  private static final Answer NO_JOBS = new Answer(200, "{\"jobs\":[]}");
  private static final String DIGEST = "sha256:" + "ab".repeat(32);

  @TempDir
  private Path folder;
  private ServerProcess server;
  private AgwpClient client;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    client = AgwpClient.builder(server.uri()).build();
  }

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
    client.close();
    server.close();
  }

  private record Finished(int status, String output) {}

  @Test
  void exit_status_0_is_passed_and_attested_for_the_subject() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest().subjectDigest(DIGEST));

    Finished worker = once("--", "sh", "-c", "echo first; echo all 30 checks passed");

    assertThat(worker.status()).isZero();
    Job job = client.getJob(jobId);
    assertThat(job.getOutcome()).isEqualTo("passed");
    assertThat(job.getSummary()).isEqualTo("first\nall 30 checks passed");
    JsonNode statement = new ObjectMapper().readTree(client.getAttestation(jobId));
    assertThat(statement.get("_type").asText()).isEqualTo("https://in-toto.io/Statement/v1");
    assertThat(statement.at("/subject/0/digest/sha256").asText()).isEqualTo("ab".repeat(32));
    assertThat(statement.get("predicateType").asText()).isEqualTo("https://in-toto.io/attestation/test-result/v0.1");
    assertThat(statement.at("/predicate/result").asText()).isEqualTo("PASSED");
    assertThat(statement.at("/predicate/configuration/0/annotations/agwp_attempts").asInt()).isEqualTo(1);
    assertThat(worker.output()).contains(jobId + " claimed, attempt 1").contains(jobId + " passed: all 30 checks passed");
  }

  @Test
  void exit_status_1_is_failed() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest().subjectDigest(DIGEST));

    assertThat(once("--", "sh", "-c", "echo found 2 faults >&2; exit 1").status()).isEqualTo(1);

    Job job = client.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.getOutcome()).isEqualTo("failed");
    assertThat(job.getSummary()).isEqualTo("found 2 faults");
    assertThat(new String(client.getAttestation(jobId), StandardCharsets.UTF_8)).contains("\"result\":\"FAILED\"");
  }

  @Test
  void any_other_end_is_no_verdict_and_the_job_is_tried_again() throws IOException {
    String status = enqueue(new EnqueueJobRequest());
    assertThat(once("--", "sh", "-c", "echo oops; exit 7").status()).isEqualTo(3);
    assertThat(client.getJob(status).getLastError().getReason()).isEqualTo("exit_status_7");
    assertThat(client.getJob(status).getLastError().getMessage()).isEqualTo("oops");
    assertThat(client.getJob(status).getState()).isEqualTo(JobState.QUEUED);
    client.cancelJob(status);

    String signal = enqueue(new EnqueueJobRequest());
    assertThat(once("--", "sh", "-c", "kill -9 $$").status()).isEqualTo(3);
    assertThat(client.getJob(signal).getLastError().getReason()).isEqualTo("killed_by_signal_9");
    client.cancelJob(signal);

    String missing = enqueue(new EnqueueJobRequest());
    assertThat(once("--", "no-such-program-anywhere").status()).isEqualTo(3);
    assertThat(client.getJob(missing).getLastError().getReason()).isEqualTo("command_not_started");
    assertThat(client.getJob(missing).getLastError().getMessage()).contains("no-such-program-anywhere");
  }

  @Test
  void the_command_gets_the_payload_on_stdin_and_in_its_environment() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest().subjectDigest(DIGEST)
        .payload(Map.of("path", "a b.txt", "count", 3, "deep", Map.of("x", 1), "not-a-name", "x")));

    once("--", "sh", "-c", "cat; echo; env | grep ^AGWP_ | sort");

    List<String> lines = client.getJob(jobId).getSummary().lines().toList();
    assertThat(new ObjectMapper().readTree(lines.get(0)).get("path").asText()).isEqualTo("a b.txt");
    assertThat(lines).contains("AGWP_JOB_ID=" + jobId, "AGWP_QUEUE=q", "AGWP_ATTEMPTS=1", "AGWP_SUBJECT_DIGEST=" + DIGEST,
        "AGWP_PAYLOAD_PATH=a b.txt", "AGWP_PAYLOAD_COUNT=3");
    assertThat(lines).noneMatch(line -> line.startsWith("AGWP_PAYLOAD_DEEP") || line.contains("NOT"));
  }

  @Test
  void an_argument_of_the_jobs_command_that_begins_with_an_at_sign_is_left_as_it_is() throws IOException {
    Path file = Files.writeString(folder.resolve("words"), "one two");
    String jobId = enqueue(new EnqueueJobRequest());

    once("--", "printf", "<%s>", "@" + file, "@@x");

    assertThat(client.getJob(jobId).getSummary()).isEqualTo("<@" + file + "><@@x>");
  }

  @Test
  void a_large_payload_is_on_stdin_alone_and_need_not_be_read() throws IOException {
    Map<String, Object> payload = Map.of("text", "x".repeat(200_000));
    String read = enqueue(new EnqueueJobRequest().payload(payload));
    once("--", "sh", "-c", "wc -c; echo ${AGWP_PAYLOAD:-none}");
    assertThat(client.getJob(read).getSummary().strip()).matches("200011\\s+none");

    String unread = enqueue(new EnqueueJobRequest().payload(payload));
    assertThat(once("--", "true").status()).isZero();
    assertThat(client.getJob(unread).getOutcome()).isEqualTo("passed");
  }

  @Test
  void the_summary_is_the_tail_of_much_output_of_any_bytes() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest());

    once("--", "sh", "-c", "i=0; while [ $i -lt 40000 ]; do echo \"line $i 👍\"; i=$((i+1)); done; printf 'a\\000\\377end'");

    String summary = client.getJob(jobId).getSummary();
    assertThat(summary.length()).isBetween(4000, 4096);
    assertThat(summary).endsWith("line 39999 👍\na\ufffd\ufffdend");
  }

  @Test
  void without_a_subject_nothing_is_attested_and_it_is_said() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest());

    assertThat(once("--", "true").output()).contains("has no subject_digest, so nothing is attested");

    assertThat(client.getJob(jobId).getAttestationDigest()).isNull();
  }

  @Test
  void sigterm_kills_the_whole_tree_and_hands_the_claim_back() throws IOException, InterruptedException {
    String jobId = enqueue(new EnqueueJobRequest());
    Path pids = folder.resolve("pids");
    Process worker = start("--", "sh", "-c", familyOf(pids));
    awaitFamily(pids);

    worker.destroy();

    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).isZero();
    assertNobodyLives(pids);
    Job job = client.getJob(jobId);
    assertThat(job.getState()).isEqualTo(JobState.QUEUED);
    assertThat(job.getLastError()).isNull();
  }

  @Test
  void a_lost_claim_kills_the_whole_tree_and_reports_nothing() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest());
    Path pids = folder.resolve("pids");
    start("--lease", "1", "--", "sh", "-c", familyOf(pids));
    awaitFamily(pids);

    client.cancelJob(jobId);

    assertNobodyLives(pids);
    assertThat(client.getJob(jobId).getState()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void what_a_finished_command_left_running_is_killed() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest());
    Path pids = folder.resolve("pids");

    Finished worker = once("--", "sh", "-c", "sleep 1000 & echo $! >> " + pids + "; trap '' TERM; (trap '' TERM; sleep 1000) & echo $! >> " + pids + "; echo done");

    assertThat(worker.status()).isZero();
    assertThat(client.getJob(jobId).getSummary()).isEqualTo("done");
    assertNobodyLives(pids);
  }

  @Test
  void json_lines_tell_what_happened() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest().subjectDigest(DIGEST));

    List<String> events = new ArrayList<>();
    for (String line : once("--json", "--", "echo", "fine").output().lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.get("time").asText()).endsWith("Z");
      events.add(event.get("event").asText() + " " + event.path("job_id").asText() + " " + event.path("outcome").asText());
    }

    assertThat(events).containsExactly("ready  ", "claimed " + jobId + " ", "reported " + jobId + " passed");
  }

  @Test
  void require_fencing_works_on_a_server_of_today() throws IOException {
    String jobId = enqueue(new EnqueueJobRequest());

    assertThat(once("--require-fencing", "--", "true").status()).isZero();

    assertThat(client.getJob(jobId).getOutcome()).isEqualTo("passed");
  }

  @Test
  void a_server_that_refuses_claims_or_does_not_check_tokens_ends_it_with_4() throws IOException {
    AtomicReference<Answer> answer = new AtomicReference<>();
    try (RecordingServer other = new RecordingServer(request -> answer.get())) {
      for (String[] way : new String[][] {{"--once", "--"}, {"--"}}) {
        List<String> line = new ArrayList<>(List.of("--server", other.uri().toString(), "--queue", "q", "--require-fencing"));
        line.addAll(List.of(way));
        line.add("true");
        answer.set(NO_JOBS);
        Finished unfenced = finish(command(line.toArray(String[]::new)));
        assertThat(unfenced.output()).contains("Cannot work with --require-fencing", "Upgrade the server");
        assertThat(unfenced.status()).isEqualTo(4);

        answer.set(RecordingServer.refusal(400, "invalid_argument"));
        Finished refused = finish(command(line.toArray(String[]::new)));
        assertThat(refused.output()).contains("The server refused to give jobs");
        assertThat(refused.status()).isEqualTo(4);
      }
    }
  }

  @Test
  void a_refused_token_ends_it_with_4_after_one_try_and_is_not_shown() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "very-secret\n");
    try (RecordingServer other = new RecordingServer(request -> RecordingServer.refusal(401, "unauthenticated"))) {
      Finished refused = finish(command("--server", other.uri().toString(), "--queue", "q", "--token-file", token.toString(), "--", "true"));

      assertThat(refused.status()).isEqualTo(4);
      assertThat(refused.output()).contains("refused this worker (unauthenticated): not with this token", "--token-file")
          .doesNotContain("very-secret");
      assertThat(other.seen()).extracting(Seen::authorization).containsExactly("Bearer very-secret");
    }
  }

  @Test
  void a_changed_token_file_is_used_from_the_next_request_on() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "first\n");
    try (RecordingServer other = new RecordingServer(request -> NO_JOBS)) {
      started.add(command("--server", other.uri().toString(), "--queue", "q", "--token-file", token.toString(), "--", "true")
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
      await().until(() -> other.seen().contains(new Seen("POST", "/v1/jobs/claim", "Bearer first")));

      Files.writeString(token, "second\n");

      await().until(() -> other.seen().contains(new Seen("POST", "/v1/jobs/claim", "Bearer second")));
      Files.delete(token);
      int asked = other.seen().size();
      await().until(() -> other.seen().size() > asked + 5);
      assertThat(other.seen().get(asked + 5).authorization()).isEqualTo("Bearer second");
    }
  }

  @Test
  void a_token_of_the_environment_is_sent_and_kept_from_the_command() throws IOException {
    try (RecordingServer other = new RecordingServer(request -> RecordingServer.refusal(403, "permission_denied"))) {
      ProcessBuilder command = command("--server", other.uri().toString(), "--queue", "q", "--", "true");
      command.environment().put("AGWP_TOKEN", "very-secret");
      assertThat(finish(command).status()).isEqualTo(4);
      assertThat(other.seen()).extracting(Seen::authorization).containsExactly("Bearer very-secret");
    }
    String jobId = enqueue(new EnqueueJobRequest());
    String token = ServerProcess.command("token", "create", "--db", "jdbc:sqlite:" + folder.resolve("agwp.db"), "--principal", "ci",
        "--scope", "work,read").output().lines().filter(line -> line.startsWith("agwp_")).findFirst().orElseThrow();
    ProcessBuilder command = command("--server", server.uri().toString(), "--queue", "q", "--once", "--", "sh", "-c", "echo got ${AGWP_TOKEN:-none}");
    command.environment().put("AGWP_TOKEN", token);
    assertThat(finish(command).status()).isZero();
    try (AgwpClient reader = AgwpClient.builder(server.uri()).token(token).build()) {
      assertThat(reader.getJob(jobId).getSummary()).isEqualTo("got none");
      assertThat(reader.getJob(jobId).getClaimedBy()).startsWith("ci|");
    }
  }

  @Test
  void a_token_that_is_missing_or_would_be_readable_on_the_way_is_wrong_usage() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "very-secret\n");
    Finished missing = once("--token-file", folder.resolve("none").toString(), "--", "true");
    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.output()).contains("is no file that can be read");
    Path empty = Files.writeString(folder.resolve("empty"), "\n");
    assertThat(once("--token-file", empty.toString(), "--", "true").output()).contains("there is no token in");
    Finished readable = finish(command("--server", "http://agwp.example", "--queue", "q", "--token-file", token.toString(), "--", "true"));
    assertThat(readable.status()).isEqualTo(2);
    assertThat(readable.output()).contains("use https").doesNotContain("very-secret");
  }

  @Test
  void wrong_usage_says_what_to_give() throws IOException {
    assertThat(finish(command("--queue", "q", "--", "true")).output()).contains("--server");
    assertThat(finish(command("--server", "localhost", "--queue", "q", "--", "true")).output()).contains("http://127.0.0.1:8080");
    Finished noCommand = finish(command("--server", server.uri().toString(), "--queue", "q"));
    assertThat(noCommand.status()).isEqualTo(2);
    assertThat(noCommand.output()).contains("COMMAND");
    assertThat(once("--lease", "0", "--", "true").output()).contains("leaseSeconds must be 1..86400, got 0");
    assertThat(once("--label", "a|b", "--", "true").output()).contains("label must be");
    assertThat(finish(command("--help")).status()).isZero();
  }

  private String enqueue(EnqueueJobRequest request) {
    return client.enqueueJob(request.queue("q")).getJobId();
  }

  /** A shell with a child, a grandchild whose parent has gone already, and one that has a session of its own besides. */
  private static String familyOf(Path pids) {
    return "echo $$ >> PIDS; sleep 1000 & echo $! >> PIDS; (sleep 1000 & echo $! >> PIDS); "
        .concat("(setsid sh -c 'echo $$ >> PIDS; exec sleep 1000' &); while [ $(wc -l < PIDS) -lt 4 ]; do :; done; echo up >> PIDS; wait")
        .replace("PIDS", pids.toString());
  }

  private static void awaitFamily(Path pids) {
    await().until(() -> Files.exists(pids) && Files.readString(pids).contains("up"));
    assertThat(pidsIn(pids)).hasSize(4).allMatch(pid -> ProcessHandle.of(pid).isPresent());
  }

  private static void assertNobodyLives(Path pids) {
    await().until(() -> pidsIn(pids).stream().map(ProcessHandle::of).flatMap(Optional::stream).noneMatch(ProcessHandle::isAlive));
  }

  private static List<Long> pidsIn(Path pids) {
    try {
      return Files.readAllLines(pids).stream().filter(line -> line.matches("\\d+")).map(Long::valueOf).toList();
    } catch (IOException unreadable) {
      throw new java.io.UncheckedIOException(unreadable);
    }
  }

  private Finished once(String... args) throws IOException {
    List<String> all = new ArrayList<>(List.of("--server", server.uri().toString(), "--queue", "q", "--once"));
    all.addAll(List.of(args));
    return finish(command(all.toArray(String[]::new)));
  }

  private Process start(String... args) throws IOException {
    List<String> all = new ArrayList<>(List.of("--server", server.uri().toString(), "--queue", "q"));
    all.addAll(List.of(args));
    Process process = command(all.toArray(String[]::new)).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    started.add(process);
    return process;
  }

  private static Finished finish(ProcessBuilder command) throws IOException {
    Process process = command.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Finished(process.waitFor(), output);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static ProcessBuilder command(String... args) {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
        "dev.agwp.sdk.worker.AgWorker"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command);
  }
}

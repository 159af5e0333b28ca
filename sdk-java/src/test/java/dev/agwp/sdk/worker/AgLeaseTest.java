package dev.agwp.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.FileLease;
import dev.agwp.sdk.model.AcquireLeaseRequest;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.ReleaseLeaseRequest;
import dev.agwp.sdk.testing.RecordingServer;
import dev.agwp.sdk.testing.RecordingServer.Answer;
import dev.agwp.sdk.testing.RecordingServer.Seen;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ag-lease as its users run it: a process, with real commands. */
@Execution(ExecutionMode.CONCURRENT)
final class AgLeaseTest {
  private static final Answer LEASE = new Answer(201, "{\"lease_id\": \"l\", \"repo\": \"r\", \"paths\": [\"a\"], \"holder\": \"ci|h\", "
      + "\"fencing_token\": 1, \"acquired_at\": \"2026-12-01T10:00:00Z\", \"expires_at\": \"2026-12-01T10:00:03Z\", \"state\": \"held\"}");

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
  void the_command_runs_while_the_lease_is_held_and_its_status_is_the_answer() throws IOException {
    Finished finished = lease("--path", "a/", "--path", "b", "--holder", "alice", "--",
        "sh", "-c", "echo $AGWP_LEASE_ID $AGWP_FENCING_TOKENS; cat; exit 7");

    assertThat(finished.status()).isEqualTo(7);
    Lease lease = stored();
    assertThat(finished.output().strip()).isEqualTo(lease.getLeaseId() + " " + lease.getFencingToken());
    assertThat(lease.getPaths()).containsExactly("a/", "b");
    assertThat(lease.getHolder()).isEqualTo("local|alice");
    assertThat(lease.getState()).isEqualTo("released");
  }

  @Test
  void a_command_that_a_signal_kills_gives_128_and_its_number_and_one_that_cannot_be_run_126_or_127() throws IOException {
    assertThat(lease("--path", "a", "--", "sh", "-c", "kill -9 $$").status()).isEqualTo(137);
    assertThat(lease("--path", "a", "--", folder.toString()).status()).isEqualTo(126);
    Path text = Files.writeString(folder.resolve("text"), "no program");
    assertThat(lease("--path", "a", "--", text.toString()).status()).isEqualTo(126);

    Finished missing = lease("--path", "a", "--", "no-such-program-anywhere");
    assertThat(missing.status()).isEqualTo(127);
    assertThat(missing.output()).contains("no-such-program-anywhere");
    assertThat(stored().getState()).isEqualTo("released");
  }

  @Test
  void a_lease_that_could_not_be_given_back_is_told_with_its_paths() throws IOException {
    Finished finished = lease("--path", "a/b", "--", "sh", "-c", "kill -STOP " + server.pid());

    assertThat(finished.status()).isZero();
    assertThat(finished.output()).contains("a/b").contains("was not given back").contains("in 60 seconds at the latest");
  }

  @Test
  void paths_that_others_hold_are_told_by_status_and_the_command_does_not_run() throws IOException {
    try (FileLease held = FileLease.builder(client, "r", "alice", List.of("a/")).acquire()) {
      Path ran = folder.resolve("ran");
      for (String[] way : new String[][] {{"-n"}, {"--nonblock"}, {"-w", "1"}, {"--wait", "0"}}) {
        Finished refused = lease(concat(List.of(way), "--path", "a/b", "--", "touch", ran.toString()));
        assertThat(refused.status()).isEqualTo(75);
        assertThat(refused.output()).contains("local|alice");
      }
      assertThat(lease("-n", "-E", "9", "--path", "a/b", "--", "touch", ran.toString()).status()).isEqualTo(9);
      assertThat(ran).doesNotExist();
    }
  }

  @Test
  void without_an_option_it_waits_for_the_paths() throws IOException, InterruptedException {
    Process waiting;
    try (FileLease held = FileLease.builder(client, "r", "alice", List.of("a/")).acquire()) {
      waiting = start("--path", "a/b", "--", "true");
      patiently().until(() -> metric("agwp_leases_waiting 1.0"));
    }

    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.exitValue()).isZero();
  }

  @Test
  void it_waits_on_while_the_server_is_away() throws IOException, InterruptedException {
    client.acquireLease(new AcquireLeaseRequest().repo("r").holder("alice").paths(List.of("a")).ttlSeconds(3600));
    Process waiting = start("--path", "a", "--", "true");
    patiently().until(() -> metric("agwp_leases_waiting 1.0"));
    int port = server.uri().getPort();
    server.close();
    try (ServerSocket nobody = new ServerSocket(port)) {
      nobody.setSoTimeout(60_000);
      // More than the client repeats by itself.
      for (int i = 0; i < 12; i++) {
        nobody.accept().close();
      }
    }
    server = ServerProcess.startWith(folder, "--port", String.valueOf(port));

    client.releaseLease(stored().getLeaseId(), new ReleaseLeaseRequest().holder("alice").fencingToken(1L));

    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.exitValue()).isZero();
  }

  @Test
  void an_argument_of_the_command_that_begins_with_an_at_sign_is_left_as_it_is() throws IOException {
    Path file = Files.writeString(folder.resolve("words"), "one two");

    assertThat(lease("--path", "a", "--", "printf", "<%s>", "@" + file, "@@x").output()).isEqualTo("<@" + file + "><@@x>");
  }

  @Test
  void a_path_that_the_locale_cannot_read_is_refused() throws IOException {
    ProcessBuilder command = command("--server", server.uri().toString(), "--repo", "r");
    command.command().addAll(0, List.of("sh", "-c", "exec \"$@\" --path \"$(printf 'docs/\\303\\244.md')\" -- true", "sh"));
    command.environment().put("LC_ALL", "C");

    Finished refused = finish(command);

    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.output()).contains("LC_ALL=C.UTF-8");
    assertThat(client.listLeases("r", null, null).getLeases()).isEmpty();

    command.environment().put("LC_ALL", "C.UTF-8");
    assertThat(finish(command).status()).isZero();
    assertThat(stored().getPaths()).containsExactly("docs/\u00e4.md");
  }

  @Test
  void a_lost_lease_kills_the_command_and_all_it_started() throws IOException, InterruptedException {
    Path pids = folder.resolve("pids");
    Process process = start("--holder", "alice", "--ttl", "6", "--path", "a", "--", "sh", "-c", familyOf(pids));
    patiently().until(() -> Files.exists(pids) && Files.readString(pids).contains("up"));

    client.releaseLease(stored().getLeaseId(), new ReleaseLeaseRequest().holder("alice").fencingToken(1L));

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(76);
    assertNobodyLives(pids);
  }

  @Test
  void sigterm_kills_the_command_and_gives_the_lease_back() throws IOException, InterruptedException {
    Path pids = folder.resolve("pids");
    Process process = start("--path", "a", "--", "sh", "-c", familyOf(pids));
    patiently().until(() -> Files.exists(pids) && Files.readString(pids).contains("up"));

    process.destroy();

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertNobodyLives(pids);
    assertThat(stored().getState()).isEqualTo("released");
  }

  @Test
  void wrong_usage_and_a_server_that_is_not_there_have_statuses_of_their_own() throws IOException {
    assertThat(lease("--path", "../a", "--", "true").status()).isEqualTo(2);
    assertThat(lease("--", "true").output()).contains("--path");
    assertThat(lease("--path", "a").status()).isEqualTo(2);
    assertThat(lease("--path", "a", "-E", "256", "--", "true").output()).contains("0..255");
    assertThat(lease("--path", "a", "-w", "-1", "--", "true").status()).isEqualTo(2);
    assertThat(lease("--path", "a", "-n", "-w", "3", "--", "true").output()).contains("--nonblock");
    assertThat(finish(command("--help")).status()).isZero();
    Finished nobody = finish(command("--server", "http://127.0.0.1:1", "--repo", "r", "--path", "a", "-n", "--", "true"));
    assertThat(nobody.status()).isEqualTo(69);
    assertThat(nobody.output()).contains("connection was refused");
  }

  @Test
  void the_token_says_who_holds_the_lease_and_is_kept_from_the_command() throws IOException {
    String token = ServerProcess.command("token", "create", "--db", "jdbc:sqlite:" + folder.resolve("agwp.db"), "--principal", "ci",
        "--scope", "work,read").output().lines().filter(line -> line.startsWith("agwp_")).findFirst().orElseThrow();
    ProcessBuilder command = command("--server", server.uri().toString(), "--repo", "r", "--path", "a", "--holder", "alice", "--",
        "sh", "-c", "echo got ${AGWP_TOKEN:-none} ${AGWP_LEASE_ID:+and a lease}");
    command.environment().put("AGWP_TOKEN", token);

    assertThat(finish(command).output().strip()).isEqualTo("got none and a lease");

    try (AgwpClient reader = AgwpClient.builder(server.uri()).token(token).build()) {
      assertThat(reader.listLeases("r", null, null).getLeases().get(0).getHolder()).isEqualTo("ci|alice");
    }
  }

  @Test
  void a_changed_token_file_is_used_from_the_next_renewal_on() throws IOException, InterruptedException {
    Path token = Files.writeString(folder.resolve("token"), "first\n");
    try (RecordingServer other = new RecordingServer(request -> LEASE)) {
      Process process = command("--server", other.uri().toString(), "--repo", "r", "--path", "a", "--ttl", "3", "--token-file", token.toString(),
          "--", "sleep", "1000").redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      started.add(process);
      patiently().until(() -> other.seen().contains(new Seen("POST", "/v1/leases/l/renew", "Bearer first")));

      Files.writeString(token, "second\n");

      patiently().until(() -> other.seen().contains(new Seen("POST", "/v1/leases/l/renew", "Bearer second")));
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(other.seen()).contains(new Seen("POST", "/v1/leases/l/release", "Bearer second"));
    }
  }

  @Test
  void a_token_that_is_refused_missing_or_would_be_readable_on_the_way_leases_nothing() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "very-secret\n");
    Path ran = folder.resolve("ran");
    try (RecordingServer other = new RecordingServer(request -> RecordingServer.refusal(403, "permission_denied"))) {
      Finished refused = finish(command("--server", other.uri().toString(), "--repo", "r", "--path", "a", "--token-file", token.toString(),
          "--", "touch", ran.toString()));

      assertThat(refused.status()).isEqualTo(69);
      assertThat(refused.output()).contains("permission_denied", "--token-file").doesNotContain("very-secret");
      assertThat(other.seen()).extracting(Seen::authorization).containsExactly("Bearer very-secret");
    }
    assertThat(lease("--path", "a", "--token-file", folder.resolve("none").toString(), "--", "touch", ran.toString()).status()).isEqualTo(2);
    assertThat(lease("--path", "a", "--ca-file", folder.resolve("none").toString(), "--", "touch", ran.toString()).status()).isEqualTo(2);
    Finished readable = finish(command("--server", "http://agwp.example", "--repo", "r", "--path", "a", "--token-file", token.toString(), "--",
        "touch", ran.toString()));
    assertThat(readable.status()).isEqualTo(2);
    assertThat(readable.output()).contains("use https").doesNotContain("very-secret");
    assertThat(ran).doesNotExist();
  }

  /** Starting a process takes long on a busy machine. */
  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofSeconds(60));
  }

  /** A shell with a child that will not end when asked. */
  private static String familyOf(Path pids) {
    return "echo $$ >> PIDS; (trap '' TERM; sleep 1000) & echo $! >> PIDS; echo up >> PIDS; wait".replace("PIDS", pids.toString());
  }

  private static void assertNobodyLives(Path pids) throws IOException {
    List<Long> family = Files.readAllLines(pids).stream().filter(line -> line.matches("\\d+")).map(Long::valueOf).toList();
    assertThat(family).hasSize(2);
    patiently().until(() -> family.stream().noneMatch(pid -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)));
  }

  private boolean metric(String line) throws IOException {
    try (var page = server.uri().resolve("/metrics").toURL().openStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8).contains(line);
    }
  }

  private Lease stored() {
    return client.listLeases("r", null, null).getLeases().get(0);
  }

  private Finished lease(String... args) throws IOException {
    return finish(command(concat(List.of("--server", server.uri().toString(), "--repo", "r"), args)));
  }

  private Process start(String... args) throws IOException {
    Process process = command(concat(List.of("--server", server.uri().toString(), "--repo", "r"), args))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    started.add(process);
    return process;
  }

  private static String[] concat(List<String> first, String... more) {
    List<String> all = new ArrayList<>(first);
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static Finished finish(ProcessBuilder command) throws IOException {
    Process process = command.redirectErrorStream(true).redirectInput(ProcessBuilder.Redirect.PIPE).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Finished(process.waitFor(), output);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static ProcessBuilder command(String... args) {
    return new ProcessBuilder(concat(List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "dev.agwp.sdk.worker.AgLease"), args));
  }
}

package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of every release and language with servers of every release. What each cell must show stands in expectations.yaml. */
final class MatrixTest {
  private static final List<String> TOKENS = List.of("none", "zero", "current", "stale");
  private static final Map<String, Integer> NUMBERS = Map.of("zero", 0, "current", 2, "stale", 1);
  private static final String LABEL = "w1";
  // What a refused call leaves claimed is not claimed again while the matrix runs.
  private static final int LEASE_SECONDS = 3600;
  private static final Path TODAY = Path.of("../server/target/agwp-server.jar");

  private final JsonNode expectations = new YAMLMapper().readTree(Path.of("expectations.yaml").toFile());

  @TempDir
  private Path folder;

  MatrixTest() throws IOException {}

  /** @param release of the client: which tokens it can send */
  private record Row(String client, String format, String release, MatrixClient calls) {}

  record Cell(String client, String format, String server, String token, String expected, String shown) {
    boolean isRight() {
      return expected.equals(shown);
    }
  }

  @Test
  void every_client_and_every_server_do_together_what_is_expected() throws IOException {
    List<Cell> calls = new ArrayList<>();
    List<Cell> workers = new ArrayList<>();
    Set<Driver> drivers = new HashSet<>();
    Map<String, ServerProcess> servers = servers();
    try {
      List<Row> rows = rows(drivers);
      servers.forEach((version, server) -> {
        try (AgwpClient producer = AgwpClient.builder(server.uri()).build()) {
          rows.forEach(row -> calls.addAll(calls(row, version, server, producer)));
          Driver.languages().forEach(language -> workers.add(worker(language, version, server, producer)));
        }
      });
    } finally {
      drivers.forEach(Driver::close);
      servers.values().forEach(ServerProcess::close);
    }

    MatrixPage.write(List.of(calls, workers), Path.of("target/matrix.html"), Path.of("target/matrix.txt"));
    assertThat(calls).filteredOn(cell -> !cell.isRight()).isEmpty();
    assertThat(workers).filteredOn(cell -> !cell.isRight()).isEmpty();
    assertThat(calls).extracting(Cell::expected).contains("applied", "refused", MatrixClient.CANNOT_BE_SENT);
    assertThat(workers).extracting(Cell::expected).contains("works", "refuses");
  }

  private Map<String, ServerProcess> servers() {
    Map<String, ServerProcess> servers = new LinkedHashMap<>();
    servers.put("1.0.0", ServerProcess.start(Release.of("1.0.0").serverJar(), "jdbc:sqlite:" + folder.resolve("old.db")));
    servers.put("1.1.0", ServerProcess.start(Release.of("1.1.0").serverJar(), "jdbc:sqlite:" + folder.resolve("fenced.db")));
    servers.put("current", ServerProcess.start(TODAY, "jdbc:sqlite:" + folder.resolve("today.db")));
    return servers;
  }

  /** In JSON with the SDK of the release, in Protobuf and where the language came later with what the release's contract generates. */
  private static List<Row> rows(Set<Driver> drivers) {
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("java, stock options, 1.0.0", "json", "1.0.0", new MatrixClient.OfStock()));
    for (WireFolder language : WireFolder.built()) {
      for (String release : WireFolder.RELEASES) {
        Driver wire = Driver.ofWire(language, release);
        Driver sdk = Driver.ofSdk(language.language(), release).orElse(wire);
        drivers.add(wire);
        drivers.add(sdk);
        rows.add(new Row(language.language() + " " + release, "json", release, new MatrixClient.OfDriver(sdk, "json")));
        rows.add(new Row(language.language() + " " + release, "protobuf", release, new MatrixClient.OfDriver(wire, "protobuf")));
      }
    }
    return rows;
  }

  private List<Cell> calls(Row row, String version, ServerProcess server, AgwpClient producer) {
    Iterator<String> jobs = claimedTwice(producer, TOKENS.size()).iterator();
    return TOKENS.stream().map(token -> {
      String jobId = jobs.next();
      String heartbeat = row.calls().call(server.uri(), "heartbeat", jobId, request(token));
      String complete = row.calls().call(server.uri(), "complete", jobId, request(token).put("outcome", "passed"));
      String shown = heartbeat.equals(complete) ? heartbeat : "heartbeat " + heartbeat + ", complete " + complete;
      // What the client was told and what the server did are one.
      Job job = producer.getJob(jobId);
      if (!job.getState().equals(shown.equals("applied") ? JobState.SUCCEEDED : JobState.CLAIMED) || job.getAttempts() != 2) {
        shown += ", but the job is " + job.getState();
      }
      return new Cell(row.client(), row.format(), version, token, expected(row, version, token), shown);
    }).toList();
  }

  private String expected(Row row, String version, String token) {
    boolean canBeSent = expectations.at("/clients/" + row.release()).valueStream().anyMatch(each -> each.asText().equals(token));
    return canBeSent ? expectations.at("/servers/" + version).path(token).asText() : MatrixClient.CANNOT_BE_SENT;
  }

  /** A worker of today that requires fencing does a job, or refuses the server and leaves the job to others. */
  private Cell worker(String language, String version, ServerProcess server, AgwpClient producer) {
    String jobId = producer.enqueueJob(new EnqueueJobRequest().queue(language)).getJobId();
    String shown;
    try (Driver driver = Driver.of(language)) {
      driver.send(Driver.start(server.uri(), LABEL, language, 60).put("require_fencing", true));
      JsonNode first = driver.awaitAny("claimed or ended", event -> Set.of("claimed", "ended").contains(event.get("event").asText()));
      if (first.get("event").asText().equals("claimed")) {
        driver.send(Driver.order("finish").put("job_id", jobId).put("outcome", "passed"));
        driver.await("reported");
        shown = "works";
      } else {
        shown = first.path("type").asText().startsWith("UnfencedServer") ? "refuses" : first.toString();
      }
    }
    String state = producer.getJob(jobId).getState();
    if (!state.equals(shown.equals("works") ? JobState.SUCCEEDED : JobState.QUEUED)) {
      shown += ", but the job is " + state;
    }
    return new Cell(language + " worker of today that requires fencing", "json", version, "works?",
        expectations.at("/workers_that_require_fencing/" + version).asText(), shown);
  }

  private static List<String> claimedTwice(AgwpClient producer, int count) {
    producer.enqueueJobs(Collections.nCopies(count, new EnqueueJobRequest().queue("q")));
    ClaimJobRequest claim = new ClaimJobRequest().queues(List.of("q")).worker(LABEL).maxJobs(count).leaseSeconds(LEASE_SECONDS);
    producer.claimJob(claim).forEach(job ->
        producer.failJob(job.getJobId(), new FailJobRequest().worker(LABEL).retryDelaySeconds(0)));
    List<Job> claimed = producer.claimJob(claim.requestId(null));
    assertThat(claimed).hasSize(count).allSatisfy(job -> assertThat(job.getAttempts()).isEqualTo(2));
    return claimed.stream().map(Job::getJobId).toList();
  }

  private static ObjectNode request(String token) {
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("worker", LABEL);
    return NUMBERS.containsKey(token) ? request.put("fencing_token", NUMBERS.get(token)) : request;
  }
}

package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of every release and language with servers of every release. What each cell must show stands in expectations.yaml. */
final class MatrixTest {
  private static final List<String> TOKENS = List.of("none", "zero", "current", "stale");
  private static final Map<String, Integer> NUMBERS = Map.of("zero", 0, "current", 2, "stale", 1);
  private static final String LABEL = "w1";
  private static final Path TODAY = Path.of("../server/target/agwp-server.jar");
  private static final Path RELEASED = Path.of("../spec/released");

  @TempDir
  private Path folder;

  /** @param release of the client: which tokens it can send */
  private record Row(String client, String format, String release, MatrixClient calls) {}

  record Cell(String client, String format, String server, String token, String expected, String shown) {
    boolean isRight() {
      return expected.equals(shown);
    }
  }

  @Test
  void every_client_and_every_server_do_together_what_is_expected() throws IOException {
    JsonNode expectations = new YAMLMapper().readTree(Path.of("expectations.yaml").toFile());
    List<Cell> cells = new ArrayList<>();
    List<Row> rows = rows();
    Map<String, ServerProcess> servers = servers();
    try {
      servers.forEach((version, server) -> {
        try (AgwpClient producer = AgwpClient.builder(server.uri()).build()) {
          rows.forEach(row -> expectations.at("/clients/" + row.release()).forEach(token -> cells.add(
              cell(row, version, server, producer, token.asText(), expectations.at("/servers/" + version).path(token.asText()).asText()))));
        }
      });
    } finally {
      rows.forEach(row -> row.calls().close());
      servers.values().forEach(ServerProcess::close);
    }

    MatrixPage.write(cells, TOKENS, Path.of("target/matrix.html"));
    assertThat(cells).filteredOn(cell -> !cell.isRight()).isEmpty();
    assertThat(cells).extracting(Cell::expected).contains("applied", "refused");
  }

  private Map<String, ServerProcess> servers() {
    Map<String, ServerProcess> servers = new LinkedHashMap<>();
    servers.put("1.0.0", ServerProcess.start(Release.of("1.0.0").serverJar(), "jdbc:sqlite:" + folder.resolve("old.db")));
    servers.put("1.1.0", ServerProcess.start(Release.of("1.1.0").serverJar(), "jdbc:sqlite:" + folder.resolve("fenced.db")));
    servers.put("current", ServerProcess.start(TODAY, "jdbc:sqlite:" + folder.resolve("today.db")));
    return servers;
  }

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String release : List.of("1.0.0", "1.1.0")) {
      rows.add(new Row("Java SDK " + release, "JSON", release, new MatrixClient.OfSdk(Driver.ofJava(Release.of(release).workerJar()))));
      rows.add(new Row("contract " + release, "Protobuf", release, new MatrixClient.OfProtobuf(RELEASED.resolve(release).resolve("openapi.yaml"))));
    }
    rows.add(new Row("stock client of 1.0.0", "JSON", "1.0.0", new MatrixClient.OfStock()));
    rows.add(new Row("contract of today", "Protobuf", "current", new MatrixClient.OfProtobuf(Path.of("../spec/openapi.yaml"))));
    Driver.languages().forEach(language ->
        rows.add(new Row(language + " SDK of today", "JSON", "current", new MatrixClient.OfSdk(Driver.of(language)))));
    return rows;
  }

  private static Cell cell(Row row, String version, ServerProcess server, AgwpClient producer, String token, String expected) {
    String jobId = claimedTwice(producer);
    String heartbeat = row.calls().call(server.uri(), "heartbeat", jobId, request(token));
    String complete = row.calls().call(server.uri(), "complete", jobId, request(token).put("outcome", "passed"));
    Job job = producer.getJob(jobId);
    String shown = heartbeat.equals(complete) ? heartbeat : "heartbeat " + heartbeat + ", complete " + complete;
    // What the client was told and what the server did are one.
    boolean ended = "succeeded".equals(job.getState());
    if (ended != shown.equals("applied") || job.getAttempts() != 2) {
      shown += ", but the job is " + job.getState();
    }
    if (!ended) {
      producer.cancelJob(jobId);
    }
    return new Cell(row.client(), row.format(), version, token, expected, shown);
  }

  private static String claimedTwice(AgwpClient producer) {
    String jobId = producer.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
    ClaimJobRequest claim = new ClaimJobRequest().queues(List.of("q")).worker(LABEL);
    producer.claimJob(claim.requestId(null));
    producer.failJob(jobId, new FailJobRequest().worker(LABEL).retryDelaySeconds(0));
    assertThat(producer.claimJob(claim.requestId(null))).singleElement()
        .satisfies(job -> assertThat(job.getJobId() + " " + job.getAttempts()).isEqualTo(jobId + " 2"));
    return jobId;
  }

  private static ObjectNode request(String token) {
    ObjectNode request = JsonNodeFactory.instance.objectNode().put("worker", LABEL);
    return NUMBERS.containsKey(token) ? request.put("fencing_token", NUMBERS.get(token)) : request;
  }
}

package dev.agwp.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.spec.Contract;
import dev.agwp.spec.MalformedMessage;
import dev.agwp.spec.Transcoder;
import dev.agwp.spec.WireSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A client under test: makes one call of a holder and says whether it was {@code applied} or {@code refused}. */
interface MatrixClient extends AutoCloseable {
  String call(URI server, String operation, String jobId, ObjectNode request);

  @Override
  default void close() {}

  /** An SDK in its own process, today's or of a release. */
  record OfSdk(Driver driver) implements MatrixClient {
    private static final Map<String, String> WORDS = Map.of("answer", "applied", "refused", "refused", "invalid", "cannot be sent");

    @Override
    public String call(URI server, String operation, String jobId, ObjectNode request) {
      ObjectNode call = Driver.order("call").put("server", server.toString()).put("operation", operation + "Job").put("job_id", jobId);
      call.set("request", request);
      JsonNode answer = driver.call(call);
      String event = answer.get("event").asText();
      boolean refusedOtherwise = event.equals("refused") && !answer.path("type").asText().equals("LostClaim");
      return refusedOtherwise ? answer.toString() : WORDS.get(event);
    }

    @Override
    public void close() {
      driver.close();
    }
  }

  /** Protobuf by the numbers that the contract of a release has. */
  final class OfProtobuf implements MatrixClient {
    private static final String PROTOBUF = "application/x-protobuf";
    private static final Map<String, String> MESSAGES = Map.of("heartbeat", "HeartbeatJobRequest", "complete", "CompleteJobRequest");
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Transcoder transcoder;

    OfProtobuf(Path contract) {
      try {
        transcoder = new Transcoder(WireSchema.of(Contract.parse(Files.readString(contract))));
      } catch (IOException missing) {
        throw new UncheckedIOException(missing);
      }
    }

    @Override
    public String call(URI server, String operation, String jobId, ObjectNode request) {
      try {
        HttpResponse<byte[]> answer = http.send(HttpRequest.newBuilder(server.resolve("/v1/jobs/" + jobId + "/" + operation))
            .header("Content-Type", PROTOBUF)
            .POST(BodyPublishers.ofByteArray(transcoder.toProtobuf(MESSAGES.get(operation), request))).build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() == 200) {
          return transcoder.toJson("Job", answer.body()).get("job_id").asText().equals(jobId) ? "applied" : "another job";
        }
        String code = transcoder.toJson("Error", answer.body()).get("code").asText();
        return code.equals(operation.equals("complete") ? "failed_precondition" : "not_found") ? "refused" : code;
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      } catch (MalformedMessage | InterruptedException failed) {
        throw new IllegalStateException(failed);
      }
    }
  }

  /** What somebody generated from the contract of 1.0.0 with the generator's default options. */
  final class OfStock implements MatrixClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public String call(URI server, String operation, String jobId, ObjectNode request) {
      dev.agwp.stock100.ApiClient client = new dev.agwp.stock100.ApiClient();
      client.setBasePath(server.toString());
      dev.agwp.stock100.JobsApi jobs = new dev.agwp.stock100.JobsApi(client);
      String worker = request.get("worker").asText();
      try {
        if (operation.equals("heartbeat")) {
          jobs.heartbeatJob(jobId, new dev.agwp.stock100.model.HeartbeatJobRequest().worker(worker));
        } else {
          jobs.completeJob(jobId, new dev.agwp.stock100.model.CompleteJobRequest().worker(worker)
              .outcome(dev.agwp.stock100.model.JobOutcome.PASSED));
        }
        return "applied";
      } catch (dev.agwp.stock100.ApiException refused) {
        return code(refused.getResponseBody());
      }
    }

    private static String code(String problem) {
      try {
        return JSON.readTree(problem).path("code").asText();
      } catch (IOException malformed) {
        throw new UncheckedIOException(malformed);
      }
    }
  }
}

package dev.agwp.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Locale;

/** A client under test: makes one call of a holder and says whether it was {@code applied} or {@code refused}, or cannot be sent. */
interface MatrixClient {
  String CANNOT_BE_SENT = "cannot be sent";

  String call(URI server, String operation, String jobId, ObjectNode request);

  /** An SDK, or what is generated from one release, in its own process. */
  record OfDriver(Driver driver, String format) implements MatrixClient {
    @Override
    public String call(URI server, String operation, String jobId, ObjectNode request) {
      if (format.equals("protobuf") && request.has("outcome")) {
        request.put("outcome", "JOB_OUTCOME_" + request.get("outcome").asText().toUpperCase(Locale.ROOT));
      }
      ObjectNode call = Driver.order("call").put("server", server.toString()).put("operation", operation + "Job").put("job_id", jobId)
          .put("format", format);
      call.set("request", request);
      JsonNode told = driver.ask(call);
      return switch (told.get("event").asText()) {
        case "answer" -> told.findValue("job_id").asText().equals(jobId) ? "applied" : "another job";
        case "invalid" -> CANNOT_BE_SENT;
        default -> told.path("type").asText("LostClaim").equals("LostClaim") ? ofCode(operation, told.get("code").asText()) : told.toString();
      };
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
      try {
        if (operation.equals("heartbeat")) {
          jobs.heartbeatJob(jobId, dev.agwp.stock100.model.HeartbeatJobRequest.fromJson(request.toString()));
        } else {
          jobs.completeJob(jobId, dev.agwp.stock100.model.CompleteJobRequest.fromJson(request.toString()));
        }
        return "applied";
      } catch (IllegalArgumentException unknownField) {
        return CANNOT_BE_SENT;
      } catch (dev.agwp.stock100.ApiException refused) {
        return ofCode(operation, code(refused.getResponseBody()));
      } catch (IOException malformed) {
        throw new UncheckedIOException(malformed);
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

  private static String ofCode(String operation, String code) {
    return code.equals(operation.equals("complete") ? "failed_precondition" : "not_found") ? "refused" : code;
  }
}

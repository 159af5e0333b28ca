package dev.agwp.bench;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.Produces;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.jackson.JacksonFeature;
import org.glassfish.jersey.server.ResourceConfig;

/** Jersey on Grizzly as its documentation starts it, with answers of the same size and nothing else: the stock floor. */
public final class StockJersey {
  private StockJersey() {}

  public static void main(String[] args) throws IOException {
    HttpServer server = GrizzlyHttpServerFactory.createHttpServer(
        URI.create("http://127.0.0.1:0/"), new ResourceConfig(Jobs.class, JacksonFeature.class), false);
    // The one change: Grizzly would close each connection after 256 requests.
    server.getListeners().forEach(listener -> listener.getKeepAlive().setMaxRequestsCount(-1));
    server.start();
    System.out.println("Jersey " + org.glassfish.jersey.internal.Version.getVersion() + ", stock serves http://127.0.0.1:"
        + server.getListeners().iterator().next().getPort());
  }

  /** Answers constants. */
  @Path("/v1/jobs")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces(MediaType.APPLICATION_JSON)
  public static final class Jobs {
    private static final String TIME = "2026-01-02T03:04:05.678Z";
    private static final Job JOB = new Job("01a2342c-5571-7200-890f-281b11e5ec5d", "bench", "claimed", Map.of("path", "p".repeat(88)),
        0, 1, 5, "local|w1", TIME, TIME, TIME, TIME);

    @POST
    @Path("claim")
    public Claim claim(JsonNode request) {
      return new Claim(List.of(JOB), true);
    }

    @POST
    @Path("{job_id}/complete")
    public Job complete(@PathParam("job_id") String jobId, JsonNode request) {
      return JOB;
    }
  }

  // The names are those of the JSON.
  record Claim(List<Job> jobs, boolean fencing_enforced) {}

  record Job(String job_id, String queue, String state, Map<String, String> payload, int priority, long attempts, int max_attempts,
      String claimed_by, String lease_expires_at, String run_at, String created_at, String updated_at) {}
}

package dev.agwp.server.operations;

import dev.agwp.server.http.OpenToEveryone;
import dev.agwp.server.storage.Database;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** What a supervisor asks: does the process answer (/healthz), and can it do its work (/readyz). */
@OpenToEveryone
@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public final class HealthResource {
  private final Database database;

  public HealthResource(Database database) {
    this.database = database;
  }

  @GET
  @Path("healthz")
  public String alive() {
    return "ok\n";
  }

  /** 503 while the database does not answer or its schema is not there. */
  @GET
  @Path("readyz")
  public String ready() {
    database.read(tx -> tx.queues().list(null, "", 1));
    return "ok\n";
  }
}

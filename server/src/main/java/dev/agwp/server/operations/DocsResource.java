package dev.agwp.server.operations;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.http.OpenToEveryone;
import dev.agwp.spec.Contract;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** /openapi.yaml, the contract as it is, and /docs, a browsable reference of it. */
@OpenToEveryone
@Path("/")
public final class DocsResource {
  private static final String WEBJAR = "META-INF/resources/webjars/swagger-ui/";
  private static final String NO_FOREIGN_CODE =
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";
  private static final Map<String, String> ASSETS = Map.of(
      "swagger-ui.css", "text/css; charset=utf-8",
      "swagger-ui-bundle.js", "text/javascript; charset=utf-8");

  private final Contract contract;
  private final String webjarVersion;

  public DocsResource(Contract contract) {
    this.contract = contract;
    this.webjarVersion = webjarVersion();
  }

  @GET
  @Path("openapi.yaml")
  @Produces("application/yaml")
  public String contract() {
    return contract.yaml();
  }

  @GET
  @Path("docs")
  @Produces("text/html; charset=utf-8")
  public Response page() {
    return Response.ok(text("docs.html")).header("Content-Security-Policy", NO_FOREIGN_CODE).build();
  }

  @GET
  @Path("docs/start.js")
  @Produces("text/javascript; charset=utf-8")
  public String start() {
    return text("docs.js");
  }

  /** The contract with this server as the only one, so that trying a call out calls the server the page came from. */
  @GET
  @Path("docs/openapi.json")
  @Produces(MediaType.APPLICATION_JSON)
  public String contractHere() {
    ObjectNode here = contract.document().deepCopy();
    here.putArray("servers").addObject().put("url", "/");
    return here.toString();
  }

  @GET
  @Path("docs/{asset}")
  public Response asset(@PathParam("asset") String asset) throws IOException {
    String type = ASSETS.get(asset);
    if (type == null) {
      throw new NotFoundException();
    }
    try (InputStream file = DocsResource.class.getClassLoader().getResourceAsStream(WEBJAR + webjarVersion + "/" + asset)) {
      return Response.ok(file.readAllBytes()).type(type).build();
    }
  }

  private static String text(String name) {
    try (InputStream file = DocsResource.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new IllegalStateException("the jar is damaged: " + name, unreadable);
    }
  }

  // The version stands in the pom alone; the build writes it here.
  private static String webjarVersion() {
    return text("swagger-ui.version").strip();
  }
}

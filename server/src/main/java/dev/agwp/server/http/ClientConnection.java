package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.function.BooleanSupplier;
import org.glassfish.grizzly.Connection;

/** The connection a request came on, as far as one can know whether somebody still listens at its other end. */
public final class ClientConnection {
  static final String PROPERTY = "agwp.connection";

  private ClientConnection() {}

  /** Tells, whenever asked, whether the caller of this request has closed its connection. */
  public static BooleanSupplier gone(ContainerRequestContext request) {
    Connection<?> connection = (Connection<?>) request.getProperty(PROPERTY);
    return () -> !connection.isOpen();
  }
}

package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;

/** Who calls: whom the client's certificate names. Where none is asked for, every caller is {@code local}. */
public record Caller(String principal) {
  private static final String PROPERTY = "agwp.caller";

  public static Caller of(ContainerRequestContext request) {
    return (Caller) request.getProperty(PROPERTY);
  }

  static final class Everyone implements ContainerRequestFilter {
    private static final Caller LOCAL = new Caller("local");

    @Override
    public void filter(ContainerRequestContext request) {
      String certified = (String) request.getProperty(ClientCertificate.PRINCIPAL);
      request.setProperty(PROPERTY, certified == null ? LOCAL : new Caller(certified));
    }
  }
}

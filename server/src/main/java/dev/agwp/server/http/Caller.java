package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;

/**
 * Who calls. Without configured tokens the server listens on loopback only and every caller is {@code local}.
 *
 * @param requestId the X-Request-Id of the call
 */
public record Caller(String principal, String requestId) {
  private static final String PROPERTY = "agwp.caller";

  public static Caller of(ContainerRequestContext request) {
    return (Caller) request.getProperty(PROPERTY);
  }

  static final class Everyone implements ContainerRequestFilter {
    private static final String LOCAL = "local";

    @Override
    public void filter(ContainerRequestContext request) {
      request.setProperty(PROPERTY, new Caller(LOCAL, RequestLog.id(request)));
    }
  }
}

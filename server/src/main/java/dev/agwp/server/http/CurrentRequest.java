package dev.agwp.server.http;

import jakarta.annotation.Priority;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;

/**
 * The request a thread is at work on, for resources: one instance of each serves all requests, and the generated methods have no room for
 * it. An injected provider would look it up in Jersey's container each time, which costs more than the rest of a resource method.
 */
@PreMatching
@Priority(CurrentRequest.FIRST)
public final class CurrentRequest implements ContainerRequestFilter {
  static final int FIRST = 0;
  private static final ThreadLocal<ContainerRequestContext> OF_THREAD = new ThreadLocal<>();

  CurrentRequest() {}

  /** Only on the thread that called the resource, and until it returns. */
  public static ContainerRequestContext get() {
    return OF_THREAD.get();
  }

  @Override
  public void filter(ContainerRequestContext request) {
    OF_THREAD.set(request);
  }

  static void end() {
    OF_THREAD.remove();
  }
}

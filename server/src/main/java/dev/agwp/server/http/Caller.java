package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.PERMISSION_DENIED;

import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Who calls, and what it may do: as its credential says, and nothing else of the request (ADR-0017).
 *
 * @param queues the queues it may name; jobs of others are unknown to it
 * @param requestId the X-Request-Id of the call; null for a caller that no call was made of yet
 */
public record Caller(String principal, Set<Scope> scopes, NamePatterns queues, String requestId) {
  /** Who calls without a credential, where none is asked for. */
  public static final Caller LOCAL = new Caller("local", Set.of(Scope.values()), NamePatterns.ALL);

  private static final String PROPERTY = "agwp.caller";
  private static final String LAPSED = "agwp.credentialLapsed";

  public Caller(String principal, Set<Scope> scopes, NamePatterns queues) {
    this(principal, scopes, queues, null);
  }

  public static Caller of(ContainerRequestContext request) {
    return (Caller) request.getProperty(PROPERTY);
  }

  /** Tells, whenever asked, whether the credential of a request that is not answered yet has ceased to be valid. */
  public static BooleanSupplier lapsed(ContainerRequestContext request) {
    return (BooleanSupplier) request.getProperty(LAPSED);
  }

  /** Makes this the caller of a request. */
  public void makes(ContainerRequestContext request, BooleanSupplier lapsed) {
    request.setProperty(PROPERTY, new Caller(principal, scopes, queues, RequestLog.id(request)));
    request.setProperty(LAPSED, lapsed);
  }

  /** @throws ApiException {@code permission_denied} when what the field asks for needs a scope beside the operation's, which is missing */
  public void checkScope(String field, Scope needed) {
    if (!scopes.contains(needed)) {
      throw new ApiException(PERMISSION_DENIED,
          field + " needs the scope " + needed.word() + ", which this credential of " + principal + " is without").at(field);
    }
  }

  /** @throws ApiException {@code permission_denied} when this caller has nothing to do with the queue that the field names */
  public void checkQueue(String field, String queue) {
    if (!queues.allow(queue)) {
      throw new ApiException(PERMISSION_DENIED, field + " must be a queue of this credential, which is for " + queues + "; got " + queue)
          .at(field);
    }
  }

  /** As {@link #checkQueue}, for a list of names. */
  public void checkQueues(String field, List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      checkQueue(field + "[" + i + "]", names.get(i));
    }
  }
}

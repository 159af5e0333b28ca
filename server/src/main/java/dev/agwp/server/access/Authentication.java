package dev.agwp.server.access;

import static dev.agwp.server.http.ErrorCode.PERMISSION_DENIED;
import static dev.agwp.server.http.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.agwp.server.http.ErrorCode.UNAUTHENTICATED;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ClientCertificate;
import dev.agwp.server.http.ClientConnection;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.OpenToEveryone;
import dev.agwp.server.http.Scope;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.Contract;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.HttpHeaders;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.glassfish.jersey.server.ExtendedUriInfo;
import org.glassfish.jersey.server.model.Invocable;

/** Decides for each request who calls, by its credential alone, and whether it may; what nothing lets pass is refused (ADR-0017). */
@Priority(Priorities.AUTHENTICATION)
public final class Authentication implements ContainerRequestFilter {
  private static final Pattern BEARER = Pattern.compile("(?i:bearer) +([A-Za-z0-9._~+/-]++=*+)");
  /** Beside the contract: the metrics, which name queues, principals and workers. */
  private static final Set<Scope> OF_OTHER_RESOURCES = Set.of(Scope.READ);

  private final AccessOptions options;
  private final OperationScopes scopes;
  private final BearerTokens tokens;
  private final JwtIdentities jwts;
  private final RateLimit requests;
  private final BadCredentials badCredentials;
  private final MeterRegistry metrics;
  private final Map<String, Counter> anonymousCalls = new ConcurrentHashMap<>();

  /** @throws BadAccessOptions when others can reach the server and it would let in everybody, or an issuer's keys are in no file */
  public Authentication(AccessOptions options, Contract contract, Database database, MeterRegistry metrics) {
    this.options = options;
    this.metrics = metrics;
    scopes = new OperationScopes(contract);
    tokens = new BearerTokens(database);
    jwts = new JwtIdentities(options.issuers());
    requests = new RateLimit(options.requestsPerSecond(), Duration.ofSeconds(1));
    badCredentials = new BadCredentials(options.badCredentialsPerMinute());
    if (options.exposed() && !asksForCredentials()) {
      throw new BadAccessOptions("no credentials are asked for, so whoever reaches this server could end any job: make a token first, with "
          + "`agwp-server token create`, or name an issuer with --jwt-issuer, or authorities with --tls-client-ca");
    }
  }

  private boolean asksForCredentials() {
    return !options.issuers().isEmpty() || !options.ofCertificates().isEmpty() || tokens.anyEver();
  }

  @Override
  public void filter(ContainerRequestContext request) {
    Invocable method = ((ExtendedUriInfo) request.getUriInfo()).getMatchedResourceMethod().getInvocable();
    if (method.getHandler().getHandlerClass().isAnnotationPresent(OpenToEveryone.class)) {
      return;
    }
    String name = method.getDefinitionMethod().getName();
    Set<Scope> ofOperation = scopes.of(name);
    if (ofOperation == null) {
      checkOtherResource(request);
      return;
    }
    List<String> credentials = credentials(request);
    Caller certified = certified(request);
    Caller caller = callerFrom(ClientConnection.address(request), credentials, certified);
    if (caller == Caller.LOCAL) {
      anonymousCalls.computeIfAbsent(name, this::anonymousCalls).increment();
    }
    countRequest(caller.principal());
    checkScopes(caller, ofOperation);
    caller.makes(request, () -> isRefused(credentials, certified));
  }

  /** A credential for some queues only is not enough: these resources tell of all. */
  private void checkOtherResource(ContainerRequestContext request) {
    if (!options.exposed()) {
      return;
    }
    Caller caller = callerFrom(ClientConnection.address(request), credentials(request), certified(request));
    checkScopes(caller, OF_OTHER_RESOURCES);
    if (!caller.queues().areAll()) {
      throw new ApiException(PERMISSION_DENIED, "this credential is for " + caller.queues() + " only, and this tells of all queues");
    }
  }

  private void countRequest(String principal) {
    int waitSeconds = requests.count(principal);
    if (waitSeconds > 0) {
      throw new ApiException(RESOURCE_EXHAUSTED, "the principal " + principal + " makes more than " + options.requestsPerSecond()
          + " requests a second; wait as Retry-After says").retryAfter(waitSeconds);
    }
  }

  private static void checkScopes(Caller caller, Set<Scope> needed) {
    needed.stream().filter(scope -> !caller.scopes().contains(scope)).findFirst().ifPresent(missing -> {
      throw new ApiException(PERMISSION_DENIED, "this credential of " + caller.principal() + " is without the scope " + missing.word());
    });
  }

  private static List<String> credentials(ContainerRequestContext request) {
    return request.getHeaders().getOrDefault(HttpHeaders.AUTHORIZATION, List.of());
  }

  /** Null for a client that has shown no certificate. */
  private Caller certified(ContainerRequestContext request) {
    String principal = (String) request.getProperty(ClientCertificate.PRINCIPAL);
    return principal == null ? null : new Caller(principal, options.ofCertificates(), NamePatterns.ALL);
  }

  private Caller callerFrom(InetAddress address, List<String> credentials, Caller certified) {
    // Who sends none is refused without a look at anything.
    return credentials.isEmpty() ? caller(credentials, certified)
        : badCredentials.checked(address, credentials.get(0), () -> caller(credentials, certified));
  }

  private Caller caller(List<String> credentials, Caller certified) {
    if (credentials.isEmpty() && certified != null) {
      return certified;
    }
    if (credentials.isEmpty()) {
      if (asksForCredentials() && !options.allowAnonymous()) {
        throw unauthenticated("send a credential: Authorization: Bearer and a token");
      }
      return Caller.LOCAL;
    }
    Matcher bearer = BEARER.matcher(credentials.get(0));
    if (credentials.size() > 1 || !bearer.matches()) {
      throw unauthenticated("Authorization must be sent once, as Bearer and a token");
    }
    String token = bearer.group(1);
    return token.startsWith(TokenText.PREFIX) ? tokens.caller(token) : jwts.caller(token);
  }

  private boolean isRefused(List<String> credentials, Caller certified) {
    try {
      caller(credentials, certified);
      return false;
    } catch (ApiException refusal) {
      return refusal.code() == UNAUTHENTICATED;
    }
  }

  private Counter anonymousCalls(String operation) {
    return Counter.builder("agwp.anonymous.calls")
        .description("Calls without a credential: who would be refused were one asked for")
        .tag("operation", operation)
        .register(metrics);
  }

  /** The one answer to every credential that does not prove anything, so that it tells nothing either. */
  static ApiException notValid() {
    return unauthenticated("the credential is not valid");
  }

  static ApiException unauthenticated(String detail) {
    return new ApiException(UNAUTHENTICATED, detail);
  }
}

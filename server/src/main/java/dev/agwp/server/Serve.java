package dev.agwp.server;

import ch.qos.logback.classic.Level;
import dev.agwp.server.access.AccessOptions;
import dev.agwp.server.access.BadAccessOptions;
import dev.agwp.server.http.Limits;
import dev.agwp.server.http.Scope;
import dev.agwp.server.http.TlsFiles;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.spec.audit.CheckpointKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code agwp-server serve}: the one list of options, their defaults and what they mean. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Serves the API until SIGTERM or SIGINT, then answers what is in flight and exits with 0.",
    footer = {
      "",
      "Beside the API it serves /healthz, /readyz, /metrics, /openapi.yaml and /docs.",
      "Exit status: 0 stopped by a signal, 1 could not start, 2 wrong usage."})
final class Serve implements Callable<Integer> {
  private static final int PORT_MAX = 65_535;
  private static final int RATE_MAX = 100_000;
  private static final int COULD_NOT_START = 1;
  private static final int CONNECTIONS_MAX_MAX = 1_000_000;
  private static final Duration TLS_FILES_LOOKED_AT_EVERY = Duration.ofSeconds(5);

  enum LogLevel { error, warn, info, debug }

  @Option(names = "--host", paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
      description = "Address to listen on (default: ${DEFAULT-VALUE}). Other than a loopback address only with --tls-cert or "
          + "--insecure-behind-proxy, and when callers need a credential.")
  private String host;

  @Option(names = "--port", paramLabel = "PORT", defaultValue = "8080",
      description = "Port to listen on, 0..65535; 0 takes a free one, named in the first line of output "
          + "(default: ${DEFAULT-VALUE}).")
  private int port;

  @Mixin
  private DatabaseOption db;

  @Option(names = "--require-fencing",
      description = "Refuse heartbeat, complete, fail and release without a fencing token, for every queue (default: only for queues "
          + "whose require_fencing is true). /metrics and getQueue tell who sends none; workers of release 1.1.0 and later do.")
  private boolean requireFencing;

  @Option(names = "--tls-cert", paramLabel = "FILE",
      description = "Serve HTTPS, TLS 1.2 or later, with this certificate and those of its authorities after it, as PEM; needs --tls-key. "
          + "A changed file is used within seconds, without a restart (default: plain HTTP).")
  private Path tlsCert;

  @Option(names = "--tls-key", paramLabel = "FILE",
      description = "The key of --tls-cert, RSA or EC, as PKCS#8 PEM without a password.")
  private Path tlsKey;

  @Option(names = "--tls-client-ca", paramLabel = "FILE",
      description = "Take certificates of these authorities, PEM, as credentials beside tokens. The first URI of one, else its DNS name, else "
          + "its common name is the principal (default: no client certificate is asked for).")
  private Path tlsClientCa;

  @Option(names = "--tls-client-scopes", paramLabel = "SCOPE", split = ",", converter = ScopeOption.class, defaultValue = "enqueue,work,read",
      description = "What a caller with a certificate of --tls-client-ca may do: enqueue, work, read, operate (default: ${DEFAULT-VALUE}).")
  private Set<Scope> tlsClientScopes;

  @Option(names = "--connections-max", paramLabel = "N", defaultValue = "" + Limits.CONNECTIONS_MAX_DEFAULT,
      description = "How many connections may be open at once, 1..1000000; one more is closed as it comes (default: ${DEFAULT-VALUE}).")
  private int connectionsMax;

  @Option(names = "--connections-per-address-max", paramLabel = "N",
      description = "The same for the connections from one address (default: as many as in all).")
  private Integer connectionsPerAddressMax;

  @Option(names = "--allow-anonymous",
      description = "Serve callers without a credential as the principal 'local', as before there were tokens, while they are given some "
          + "(default: refuse them once a token or an issuer exists). /metrics counts their calls. On a loopback address only.")
  private boolean allowAnonymous;

  @ArgGroup(exclusive = false, multiplicity = "0..*")
  private List<JwtOptions> issuers = new ArrayList<>();

  @Option(names = "--insecure-behind-proxy",
      description = "Others reach this server through a proxy that speaks TLS with them: lets --host be any address and asks for a "
          + "credential with the scope read at /metrics. What passes between the proxy and this server can be read on the way.")
  private boolean behindProxy;

  @Option(names = "--rate-limit", paramLabel = "NUMBER", defaultValue = "0",
      description = "Requests a second that each principal may make of this server, 1..100000, and as many at once after a second of rest; 0 "
          + "for no limit (default: ${DEFAULT-VALUE}).")
  private int rateLimit;

  @Option(names = "--bad-credentials-max", paramLabel = "NUMBER", defaultValue = "" + AccessOptions.BAD_CREDENTIALS_PER_MINUTE_DEFAULT,
      description = "Bad credentials a minute that one address may send, 1..100000; from then on only those that were good in the last ten "
          + "minutes are looked at; 0 for no limit (default: ${DEFAULT-VALUE}).")
  private int badCredentialsMax;

  @Option(names = "--audit-key", paramLabel = "PRIVATE.pem",
      description = "Signs checkpoints of the audit log with this Ed25519 key (PKCS#8, as openssl genpkey -algorithm ed25519 writes it). "
          + "Default: getAuditHead answers no checkpoint.")
  private Path auditKey;

  @Option(names = "--audit-checkpoints", paramLabel = "FOLDER",
      description = "Writes a signed checkpoint into this folder every 10000 events, and each minute in which there were some. Copy them to where "
          + "the owner of the database cannot change them. Needs --audit-key. Default: none are written.")
  private Path auditCheckpoints;

  @Option(names = "--log-level", paramLabel = "LEVEL", defaultValue = "info",
      description = "error, warn, info, or debug, which logs a line for each request to standard error "
          + "(default: ${DEFAULT-VALUE}).")
  private LogLevel logLevel;

  @Spec
  private CommandSpec command;

  @Override
  public Integer call() throws InterruptedException {
    checkOptions();
    AuditOptions audit = new AuditOptions(
        auditKey == null ? null : TextFile.read(command, "--audit-key", auditKey, CheckpointKey::ofPrivate), auditCheckpoints);
    // Jersey and Grizzly log with java.util.logging; one log in one form.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("agwp")).setLevel(Level.valueOf(logLevel.name()));
    ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("dev.agwp")).setLevel(Level.valueOf(logLevel.name()));
    AgwpServer server;
    try {
      server = AgwpServer.start(new ServerOptions(host, port, db.url(), requireFencing, access(), limits(), tls(), audit));
    } catch (CannotOpenDatabase | BadAccessOptions | IOException refused) {
      command.commandLine().getErr().println("Could not start: " + refused.getMessage());
      return COULD_NOT_START;
    }
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.close();
      stopped.countDown();
      // A signal that was obeyed is no failure: without this the JVM would exit with 128 + signal.
      Runtime.getRuntime().halt(0);
    }, "agwp-stop"));
    command.commandLine().getOut().println("agwp-server " + Main.Version.text() + " serves " + server.uri());
    stopped.await();
    return 0;
  }

  private void checkOptions() {
    if (port < 0 || port > PORT_MAX) {
      throw new ParameterException(command.commandLine(), "--port must be 0.." + PORT_MAX + ", got " + port);
    }
    if (auditCheckpoints != null && auditKey == null) {
      throw new ParameterException(command.commandLine(), "--audit-checkpoints needs --audit-key: a checkpoint is worth its signature");
    }
    if ((tlsCert == null) != (tlsKey == null) || tlsClientCa != null && tlsCert == null) {
      throw new ParameterException(command.commandLine(), "--tls-cert and --tls-key go together, and --tls-client-ca needs both");
    }
    checkConnections("--connections-max", connectionsMax);
    checkConnections("--connections-per-address-max", connectionsPerAddressMax == null ? 1 : connectionsPerAddressMax);
    checkRate("--rate-limit", rateLimit);
    checkRate("--bad-credentials-max", badCredentialsMax);
    if (!isLoopback() && !behindProxy && tlsCert == null) {
      throw new ParameterException(command.commandLine(),
          "--host " + host + " is not a loopback address, and without TLS everybody on the way could read and use the credentials of "
              + "callers. Give --tls-cert and --tls-key; or listen on 127.0.0.1 and let a proxy that speaks TLS stand before this server, on the same machine; or say "
              + "--insecure-behind-proxy when the way from the proxy to here is your own. Make tokens for callers with "
              + "`agwp-server token create`.");
    }
    if (allowAnonymous && isExposed()) {
      throw new ParameterException(command.commandLine(),
          "--allow-anonymous is for a loopback address: from elsewhere it would let in everybody");
    }
    JwtOptions.check(command.commandLine(), issuers);
  }

  private AccessOptions access() {
    return new AccessOptions(isExposed(), allowAnonymous, issuers.stream().map(JwtOptions::issuer).toList(), rateLimit,
        badCredentialsMax, tlsClientCa == null ? Set.of() : tlsClientScopes);
  }

  private boolean isExposed() {
    return behindProxy || !isLoopback();
  }

  private void checkConnections(String option, int connections) {
    if (connections < 1 || connections > CONNECTIONS_MAX_MAX) {
      throw new ParameterException(command.commandLine(), option + " must be 1.." + CONNECTIONS_MAX_MAX + ", got " + connections);
    }
  }

  private void checkRate(String option, int rate) {
    if (rate < 0 || rate > RATE_MAX) {
      throw new ParameterException(command.commandLine(), option + " must be 0.." + RATE_MAX + ", got " + rate);
    }
  }

  private Limits limits() {
    return Limits.of(connectionsMax, connectionsPerAddressMax == null ? connectionsMax : connectionsPerAddressMax);
  }

  private TlsFiles.Options tls() {
    return tlsCert == null ? null : new TlsFiles.Options(tlsCert, tlsKey, tlsClientCa, TLS_FILES_LOOKED_AT_EVERY);
  }

  private boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      throw new ParameterException(command.commandLine(), "--host " + host + " is not an address of this machine");
    }
  }
}

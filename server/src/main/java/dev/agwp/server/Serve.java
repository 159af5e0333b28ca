package dev.agwp.server;

import ch.qos.logback.classic.Level;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.spec.audit.CheckpointKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
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
  private static final int COULD_NOT_START = 1;

  enum LogLevel { error, warn, info, debug }

  @Option(names = "--host", paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
      description = "Address to listen on (default: ${DEFAULT-VALUE}). This release has no caller tokens, so it must be a "
          + "loopback address.")
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
      server = AgwpServer.start(new ServerOptions(host, port, db.url(), requireFencing, audit));
    } catch (CannotOpenDatabase | IOException refused) {
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
    command.commandLine().getOut().flush();
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
    if (!isLoopback()) {
      throw new ParameterException(command.commandLine(),
          "--host " + host + " is not a loopback address. No caller tokens are configured, so every caller would be the "
              + "principal 'local' and could end any job. Caller tokens are configured with `agwp-server token create`, which "
              + "comes with a later release; until then listen on 127.0.0.1 and let a proxy that authenticates callers "
              + "stand before this server.");
    }
  }

  private boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      throw new ParameterException(command.commandLine(), "--host " + host + " is not an address of this machine");
    }
  }
}

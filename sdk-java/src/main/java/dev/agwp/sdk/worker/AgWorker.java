package dev.agwp.sdk.worker;

import dev.agwp.attestation.SigningKey;
import dev.agwp.sdk.AccessRefusedException;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.UnfencedServerException;
import dev.agwp.sdk.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code ag-worker}: runs a program for each job of a queue. */
@Command(
    name = "ag-worker",
    mixinStandardHelpOptions = true,
    versionProvider = AgWorker.Version.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = {
      "Claims jobs and runs COMMAND for each.",
      "",
      "COMMAND gets the payload as JSON on standard input, and in its environment AGWP_JOB_ID, AGWP_QUEUE, AGWP_ATTEMPTS, "
          + "AGWP_SUBJECT_DIGEST (when the job has one), AGWP_PAYLOAD (when it is at most 64 KiB) and AGWP_PAYLOAD_<NAME> for each "
          + "text, number or boolean NAME at the top of the payload, in upper case.",
      "It says what it found by its exit status: 0 passed, 1 failed, anything else or a signal: no verdict, try again. The last 4,096 "
          + "characters of its output become the summary.",
      "A job with a subject_digest is completed with an in-toto Statement about that digest, which --key signs.",
      "Whatever COMMAND left running is killed when it ends, when the claim is lost, and on SIGTERM or SIGINT, when the claim is "
          + "handed back.",
      ""},
    footer = {
      "",
      "Exit status: 0 stopped by a signal, or with --once: 0 passed, 1 failed, 3 no verdict reported. 2 wrong usage, 4 the "
          + "server refused the claims or the token, or does not check the fencing tokens that --require-fencing asks for."})
final class AgWorker implements Callable<Integer> {
  private static final int PASSED = 0;
  private static final int FAILED = 1;
  private static final int NO_VERDICT = 3;
  private static final int REFUSED = 4;
  /** A command that was told to end gets a moment to do so before it is killed. */
  private static final Duration GRACE = Duration.ZERO;

  @Mixin
  private ServerOptions server;

  @Option(names = "--queue", required = true, paramLabel = "NAME", description = "A queue to claim from; give it again for more, up to 32.")
  private List<String> queues;

  @Option(names = "--label", paramLabel = "LABEL",
      description = "Names this worker; two that run at once need different ones. Default: host name and process id.")
  private String label;

  @Option(names = "--lease", paramLabel = "SECONDS", defaultValue = "60",
      description = "How long a claim is held without a heartbeat, 1..86400 (default: ${DEFAULT-VALUE}).")
  private int leaseSeconds;

  @Option(names = "--concurrency", paramLabel = "N", defaultValue = "1",
      description = "How many jobs run at once, 1..1000 (default: ${DEFAULT-VALUE}).")
  private int concurrency;

  @Option(names = "--require-fencing",
      description = "Work only on a server that says it checks fencing tokens, which servers do from release 1.2.0 on; hand back what another "
          + "gives and exit with 4 (default: the tokens are sent, whether the server checks them or not).")
  private boolean requireFencing;

  @Option(names = "--key", paramLabel = "FILE",
      description = "Sign what is attested with this private key: a PEM file, BEGIN PRIVATE KEY, with an Ed25519 or an ECDSA P-256 key, whose "
          + "public half the server was told by agwp-server key add (default: the statement is not signed).")
  private Path keyFile;

  @Option(names = "--once", description = "Wait for one job, run it and exit.")
  private boolean once;

  @Option(names = "--json", description = "Report progress as one JSON object a line instead of text.")
  private boolean json;

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The program to run and its arguments, after --.")
  private List<String> commandLine;

  @Spec
  private CommandSpec command;

  public static void main(String[] args) {
    // What the command prints is its own; ours are progress lines, and warnings on standard error.
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
    System.exit(Program.run(new AgWorker(), args));
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = AgWorker.class.getPackage().getImplementationVersion();
      return new String[] {"ag-worker " + (version == null ? "(not packaged)" : version)};
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    ProgressLines progress = new ProgressLines(command.commandLine().getOut(), json);
    try (AgwpClient client = server.client(); Worker worker = worker(client, progress)) {
      AtomicBoolean ended = new AtomicBoolean();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        if (ended.compareAndSet(false, true)) {
          worker.close();
          // A signal that was obeyed is no failure: without this the JVM would exit with 128 + signal.
          Runtime.getRuntime().halt(0);
        }
      }, "ag-worker-stop"));
      progress.ready(server.uri(), queues, label());
      int status = run(worker);
      if (!ended.compareAndSet(false, true)) {
        // The hook is at work and ends the process when claims are handed back.
        new CountDownLatch(1).await();
      }
      return status;
    }
  }

  private int run(Worker worker) {
    try {
      if (once) {
        return status(worker.runOne());
      }
      worker.run();
      return PASSED;
    } catch (AccessRefusedException stranger) {
      command.commandLine().getErr().println("The server refused this worker (" + stranger.code() + "): " + stranger.getMessage()
          + ". Give it a token that may work, with --token-file or AGWP_TOKEN.");
      return REFUSED;
    } catch (AgwpException refused) {
      command.commandLine().getErr().println("The server refused to give jobs: " + refused.getMessage());
      return REFUSED;
    } catch (UnfencedServerException unfenced) {
      command.commandLine().getErr().println("Cannot work with --require-fencing: " + unfenced.getMessage());
      return REFUSED;
    }
  }

  private static int status(Outcome outcome) {
    return switch (outcome == null ? "none" : outcome.verdictWord()) {
      case "passed" -> PASSED;
      case "failed" -> FAILED;
      default -> NO_VERDICT;
    };
  }

  private Worker worker(AgwpClient client, ProgressLines progress) {
    try {
      Worker.Builder worker = Worker.builder(client, label(), queues)
          .leaseSeconds(leaseSeconds)
          .concurrency(concurrency)
          .grace(GRACE)
          .listener(progress);
      if (requireFencing) {
        worker.requireFencing();
      }
      return worker.handler(new CommandHandler(commandLine, key(), progress));
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(command.commandLine(), wrong.getMessage(), wrong);
    }
  }

  private SigningKey key() {
    try {
      return keyFile == null ? null : SigningKey.ofPem(Files.readString(keyFile));
    } catch (IOException unreadable) {
      throw new ParameterException(command.commandLine(), "--key " + keyFile + " cannot be read: " + unreadable, unreadable);
    } catch (IllegalArgumentException unusable) {
      throw new ParameterException(command.commandLine(), "--key " + keyFile + ": " + unusable.getMessage(), unusable);
    }
  }

  private String label() {
    if (label == null) {
      label = labelOfThisProcess();
    }
    return label;
  }

  /** The process id makes a restarted program another holder than its former self. */
  static String labelOfThisProcess() {
    return host() + "-" + ProcessHandle.current().pid();
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
      return name.substring(0, Math.min(name.length(), 100));
    } catch (UnknownHostException nameless) {
      return "worker";
    }
  }
}

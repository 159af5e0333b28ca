package dev.agwp.sdk.worker;

import dev.agwp.sdk.AccessRefusedException;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.FileLease;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code ag-lease}: runs a program while it leases paths, as flock does with a lock. */
@Command(
    name = "ag-lease",
    mixinStandardHelpOptions = true,
    versionProvider = AgLease.Version.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = {
      "Leases paths of a repo exclusively, runs COMMAND while it holds the lease, and gives the lease back.",
      "",
      "COMMAND gets AGWP_LEASE_ID and AGWP_FENCING_TOKENS in its environment; integrate takes the token.",
      "When the lease is lost, COMMAND is told to end (SIGTERM) and killed two seconds later. Whatever COMMAND left running is ended the "
          + "same way when it ends, and on SIGTERM, SIGINT or SIGHUP; it is found by its session and its environment. COMMAND has a session of its "
          + "own, without a terminal.",
      "While ag-lease itself is stopped (SIGSTOP, Ctrl-Z), or once another signal ends it (SIGKILL), nobody ends COMMAND: what must not be written "
          + "without the lease has to check its token, as integrate does.",
      ""},
    footer = {
      "",
      "Exit status: that of COMMAND, 128 and the number of the signal that killed it. 2 wrong usage, 69 the server cannot be reached or "
          + "refused the call, 75 (-E) the paths are leased by others, 76 the lease was lost and COMMAND killed, 126 COMMAND is no program, "
          + "127 it was not found."})
final class AgLease implements Callable<Integer> {
  private static final int UNAVAILABLE = 69;
  private static final int LOST = 76;
  private static final int NO_PROGRAM = 126;
  private static final int NOT_FOUND = 127;
  private static final int TTL_MAX = 86_400;
  private static final int STATUS_MAX = 255;
  private static final Duration FOR_EVER = Duration.ofSeconds(Integer.MAX_VALUE);

  @Mixin
  private ServerOptions server;

  @Option(names = "--repo", required = true, paramLabel = "REPO", description = "The repo the paths are in.")
  private String repo;

  @Option(names = "--path", required = true, paramLabel = "PATH",
      description = "A file to lease, or a folder, which ends in a slash; give it again for more, up to 1000.")
  private List<String> paths;

  @Option(names = "--holder", paramLabel = "LABEL",
      description = "Names the holder; two that run at once need different ones. Default: host name and process id.")
  private String holder;

  @Option(names = "--ttl", paramLabel = "SECONDS", defaultValue = "60",
      description = "How long the lease is held without a renewal, 1..86400 (default: ${DEFAULT-VALUE}).")
  private int ttlSeconds;

  @Option(names = {"-w", "--wait"}, paramLabel = "SECONDS",
      description = "Wait at most so long for the paths, also while the server restarts once it has said who holds them (default: for ever). "
          + "A server that takes the call and does not answer is waited for 10 seconds longer.")
  private Integer waitSeconds;

  @Option(names = {"-n", "--nonblock"}, description = "Do not wait for the paths.")
  private boolean nonblock;

  @Option(names = {"-E", "--conflict-exit-code"}, paramLabel = "N", defaultValue = "75",
      description = "Exit status when the paths are leased by others, 0..255 (default: ${DEFAULT-VALUE}).")
  private int conflict;

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The program to run and its arguments, after --.")
  private List<String> commandLine;

  @Spec
  private CommandSpec command;

  private ProcessTree process;
  private boolean stopping;

  public static void main(String[] args) {
    // What the command prints is its own; ours are warnings on standard error.
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
    System.setProperty("org.slf4j.simpleLogger.log." + FileLease.class.getName(), "warn");
    System.setProperty("org.slf4j.simpleLogger.showThreadName", "false");
    System.setProperty("org.slf4j.simpleLogger.showLogName", "false");
    System.exit(Program.run(new AgLease(), args));
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = AgLease.class.getPackage().getImplementationVersion();
      return new String[] {"ag-lease " + (version == null ? "(not packaged)" : version)};
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    require(conflict >= 0 && conflict <= STATUS_MAX, "--conflict-exit-code must be 0.." + STATUS_MAX + ", got " + conflict);
    require(ttlSeconds >= 1 && ttlSeconds <= TTL_MAX, "--ttl must be 1.." + TTL_MAX + ", got " + ttlSeconds);
    require(waitSeconds == null || waitSeconds >= 0, "--wait must be 0 or more, got " + waitSeconds);
    require(waitSeconds == null || !nonblock, "give --wait or --nonblock, not both");
    try (AgwpClient client = server.client(); FileLease lease = acquire(client)) {
      // Beside the end of this process by itself, where there is nothing left to do: SIGTERM and SIGINT.
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        stopCommand();
        lease.close();
      }, "ag-lease-stop"));
      return run(lease);
    } catch (AccessRefusedException stranger) {
      command.commandLine().getErr().println("The server refused this caller (" + stranger.code() + "): " + stranger.getMessage()
          + ". Give it a token that may work, with --token-file or " + ServerOptions.TOKEN_VARIABLE + ".");
      return UNAVAILABLE;
    } catch (AgwpException refused) {
      command.commandLine().getErr().println("Could not lease: " + refused.getMessage() + hint(refused));
      return status(refused);
    }
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(command.commandLine(), otherwise);
    }
  }

  private static String hint(AgwpException refused) {
    return "not_found".equals(refused.code()) ? ". --server is the server's address without a path; servers before 1.5.0 have no leases." : "";
  }

  private FileLease acquire(AgwpClient client) {
    return FileLease.builder(client, repo, holder == null ? AgWorker.labelOfThisProcess() : holder, paths)
        .ttlSeconds(ttlSeconds)
        .maxWait(nonblock ? Duration.ZERO : waitSeconds == null ? FOR_EVER : Duration.ofSeconds(waitSeconds))
        .onLost(why -> {
          command.commandLine().getErr().println("Lost the lease: " + why);
          stopCommand();
        })
        .acquire();
  }

  private int run(FileLease lease) throws InterruptedException {
    try (ProcessTree running = startCommand(lease)) {
      int status = running == null ? LOST : running.waitFor();
      return lease.isLost() ? LOST : status;
    } catch (NoSuchFileException notFound) {
      command.commandLine().getErr().println("Cannot run " + commandLine.get(0) + ": " + notFound.getReason());
      return NOT_FOUND;
    } catch (IOException notStarted) {
      command.commandLine().getErr().println("Cannot run " + commandLine.get(0) + ": " + notStarted.getMessage());
      return NO_PROGRAM;
    }
  }

  /** Null when it is to stop before it began. Not while it is being stopped: what starts unseen would outlive this process. */
  private synchronized ProcessTree startCommand(FileLease lease) throws IOException {
    if (!stopping) {
      process = ProcessTree.start(commandLine, builder -> describe(lease, builder));
    }
    return process;
  }

  private synchronized void stopCommand() {
    stopping = true;
    if (process != null) {
      process.close();
    }
  }

  private static void describe(FileLease lease, ProcessBuilder builder) {
    builder.redirectErrorStream(false).inheritIO();
    builder.environment().remove(ServerOptions.TOKEN_VARIABLE);
    builder.environment().put("AGWP_LEASE_ID", lease.lease().getLeaseId());
    builder.environment().put("AGWP_FENCING_TOKENS", String.valueOf(lease.fencingToken()));
  }

  private int status(AgwpException refused) {
    if ("lease_held".equals(refused.reason())) {
      return conflict;
    }
    return "invalid_argument".equals(refused.code()) ? CommandLine.ExitCode.USAGE : UNAVAILABLE;
  }
}

package dev.agwp.server;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code agwp-server}. */
@Command(
    name = "agwp-server",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = "Job claims with leases over HTTP, on SQLite or PostgreSQL.",
    subcommands = {Serve.class, TokenCommand.class, KeyCommand.class, AttestationCommand.class, Audit.class})
final class Main implements Runnable {
  @Spec
  private CommandSpec command;

  public static void main(String[] args) {
    CommandLine commandLine = commandLine();
    int status = commandLine.execute(args);
    // Only println flushes by itself.
    commandLine.getOut().flush();
    System.exit(status);
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setParameterExceptionHandler(Main::wrongUsage);
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(command.commandLine(), "Say what to do, for example: agwp-server serve");
  }

  // The whole help text would push the one line that matters off the screen.
  private static int wrongUsage(CommandLine.ParameterException wrong, String[] args) {
    wrong.getCommandLine().getErr().println(wrong.getMessage());
    wrong.getCommandLine().getErr().println("See " + wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help.");
    return CommandLine.ExitCode.USAGE;
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"agwp-server " + text()};
    }

    static String text() {
      String version = Main.class.getPackage().getImplementationVersion();
      return version == null ? "(not packaged)" : version;
    }
  }
}

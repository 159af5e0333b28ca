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
    subcommands = Serve.class)
final class Main implements Runnable {
  @Spec
  private CommandSpec command;

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(command.commandLine(), "Say what to do: agwp-server serve");
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

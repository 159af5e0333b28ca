package dev.agwp.sdk.worker;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** How a program that runs another one reads its arguments, most of which are the other one's. */
final class Program {
  /** What Java puts for bytes that are no characters in the locale's encoding. */
  private static final String UNREADABLE = "\uFFFD";

  private Program() {}

  /** Runs the command and answers its exit status. */
  static int run(Object command, String... args) {
    CommandLine program = new CommandLine(command)
        .setStopAtPositional(true)
        // Of the program that is run: curl has -d @FILE.
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(Program::wrongUsage);
    Optional<String> unreadable = unreadable(args);
    if (unreadable.isPresent()) {
      program.getErr().println("'" + unreadable.get() + "' holds characters that this locale does not have; set LC_ALL=C.UTF-8.");
      return CommandLine.ExitCode.USAGE;
    }
    return program.execute(args);
  }

  private static Optional<String> unreadable(String... args) {
    return "UTF-8".equals(System.getProperty("sun.jnu.encoding")) ? Optional.empty()
        : Arrays.stream(args).filter(arg -> arg.contains(UNREADABLE)).findFirst();
  }

  // The whole help text would push the one line that matters off the screen.
  private static int wrongUsage(ParameterException wrong, String[] args) {
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println(wrong.getMessage());
    err.println("See " + wrong.getCommandLine().getCommandName() + " --help.");
    return CommandLine.ExitCode.USAGE;
  }
}

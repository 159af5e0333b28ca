package dev.agwp.spec.diff;

import dev.agwp.spec.Contract;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code contract-diff}: tells what changed between two OpenAPI documents, and by its exit status whether that breaks anybody. */
@Command(
    name = "contract-diff",
    mixinStandardHelpOptions = true,
    versionProvider = ContractDiffCommand.Version.class,
    usageHelpAutoWidth = true,
    description = {
      "Compares two OpenAPI documents (3.0 or 3.1, YAML or JSON, references within the document) and prints each change with whom it "
          + "breaks and why.",
      ""},
    footer = {"", "Exit status: 0 nothing breaks, or all that does is accepted; 1 something breaks; 2 wrong usage, or a file that cannot "
        + "be read."})
public final class ContractDiffCommand implements Callable<Integer> {
  private static final int BREAKS = 1;

  enum Format { table, json, html }

  @Parameters(index = "0", paramLabel = "BEFORE", description = "The older document.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The newer document.")
  private Path after;

  @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
      description = "table (for people), json (for programs) or html (a page on its own). Default: ${DEFAULT-VALUE}.")
  private Format format;

  @Option(names = "--accepted", paramLabel = "FILE",
      description = "Breaking changes to let pass: a YAML list of entries with rule, place, version (info.version of AFTER) and "
          + "justification. Default: none.")
  private Path accepted;

  @Option(names = "--output", paramLabel = "FILE", description = "Where to write the report. Default: standard output.")
  private Path output;

  @Spec
  private CommandSpec command;

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ContractDiffCommand.class.getPackage().getImplementationVersion();
      return new String[] {"contract-diff " + (version == null ? "(not packaged)" : version)};
    }
  }

  public static void main(String[] args) {
    System.exit(execute(System.out, System.err, args));
  }

  static int execute(PrintStream out, PrintStream err, String... args) {
    return new CommandLine(new ContractDiffCommand())
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setExecutionExceptionHandler((failed, line, parsed) -> {
          if (!(failed instanceof IllegalArgumentException || failed instanceof IOException)) {
            throw failed;
          }
          line.getErr().println(failed.getMessage());
          return CommandLine.ExitCode.USAGE;
        })
        .setParameterExceptionHandler((wrong, given) -> {
          wrong.getCommandLine().getErr().println(wrong.getMessage());
          wrong.getCommandLine().getErr().println("See contract-diff --help.");
          return CommandLine.ExitCode.USAGE;
        })
        .execute(args);
  }

  @Override
  public Integer call() throws IOException {
    AcceptedBreaks accepts = accepted == null ? AcceptedBreaks.none() : read(accepted, AcceptedBreaks::parse);
    Contract old = read(before, ContractDiffCommand::openApi3);
    Contract now = read(after, ContractDiffCommand::openApi3);
    if (output != null && (sameFile(output, before) || sameFile(output, after))) {
      throw new IllegalArgumentException("--output " + output + " is one of the documents");
    }
    DiffReport report = compared(old, now);
    String text = switch (format) {
      case table -> report.table();
      case json -> report.json();
      case html -> report.html();
    };
    if (output == null) {
      command.commandLine().getOut().print(text);
      command.commandLine().getOut().flush();
    } else {
      Files.writeString(output, text);
    }
    List<Change> broken = accepts.notAccepted(report.changes(), now.version());
    if (broken.isEmpty() && report.changes().stream().anyMatch(change -> change.rule().isBreaking())) {
      command.commandLine().getErr().println("All that breaks is accepted by " + accepted + ".");
    }
    return broken.isEmpty() ? 0 : BREAKS;
  }

  private static DiffReport compared(Contract old, Contract now) {
    try {
      return new DiffReport(old, now);
    } catch (StackOverflowError tooDeep) {
      throw new IllegalArgumentException("the documents are nested too deep to be compared", tooDeep);
    }
  }

  private static boolean sameFile(Path one, Path other) throws IOException {
    return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
  }

  private static <T> T read(Path file, Function<String, T> parse) {
    try {
      return parse.apply(Files.readString(file));
    } catch (NoSuchFileException missing) {
      throw new IllegalArgumentException(file + ": there is no such file", missing);
    } catch (CharacterCodingException binary) {
      throw new IllegalArgumentException(file + ": not text in UTF-8", binary);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(file + ": it cannot be read: " + unreadable.getMessage(), unreadable);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(file + ": " + malformed.getMessage(), malformed);
    }
  }

  private static Contract openApi3(String text) {
    Contract contract = Contract.parse(text);
    if (contract.usesAliases()) {
      throw new IllegalArgumentException("YAML aliases (*name) are not followed; write out what they stand for first");
    }
    if (!contract.document().path("openapi").asText().matches("3\\.[01](\\..*)?")) {
      throw new IllegalArgumentException("not an OpenAPI 3 document: it must say openapi: 3.0.x or 3.1.x");
    }
    return contract;
  }
}

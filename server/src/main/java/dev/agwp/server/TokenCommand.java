package dev.agwp.server;

import dev.agwp.server.access.Names;
import dev.agwp.server.access.TokenRow;
import dev.agwp.server.access.Tokens;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.http.Timestamps;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code agwp-server token}: the tokens that callers show. */
@Command(
    name = "token",
    mixinStandardHelpOptions = true,
    description = "Makes, lists and revokes the tokens that callers show. Running servers notice within three seconds.",
    subcommands = {TokenCommand.Create.class, TokenCommand.Show.class, TokenCommand.Revoke.class})
final class TokenCommand implements Runnable {
  @Spec
  private CommandSpec command;

  @Override
  public void run() {
    throw new ParameterException(command.commandLine(), "Say what to do: agwp-server token create, list or revoke");
  }

  /** What the three have in common: a database, and an end with 1 when it cannot be opened. */
  abstract static class OnDatabase implements Callable<Integer> {
    private static final int FAILED = 1;

    @Mixin
    private DatabaseOption db;

    @Spec
    private CommandSpec command;

    CommandSpec command() {
      return command;
    }

    int onTokens(ToIntFunction<Tokens> work) {
      try (Database database = db.open()) {
        return work.applyAsInt(new Tokens(database));
      } catch (CannotOpenDatabase | ApiException refused) {
        return failed(refused.getMessage());
      }
    }

    int failed(String why) {
      command.commandLine().getErr().println(why);
      return FAILED;
    }

    void print(String line) {
      command.commandLine().getOut().println(line);
    }
  }

  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Makes a token and prints it, alone on one line of standard output. It is shown this once: only its hash is stored.",
        "From the first token on, servers of this database ask every caller for a credential."})
  static final class Create extends OnDatabase {
    private static final int PATTERNS_MAX = 32;

    @Option(names = "--principal", paramLabel = "NAME", required = true,
        description = "Whose the token is, " + Names.PRINCIPAL_RULE + ". Who has another token of the same principal can act for its claims.")
    private String principal;

    @Option(names = "--scope", paramLabel = "SCOPE", required = true, split = ",", converter = ScopeOption.class,
        description = "What its holder may do, one or more of enqueue, work, read, operate, parted by commas.")
    private List<Scope> scopes;

    @Option(names = "--queue", paramLabel = "PATTERN", split = ",", defaultValue = "*",
        description = "The queues it is for, once for each pattern: " + Names.QUEUE_PATTERN_RULE + " (default: ${DEFAULT-VALUE}, all).")
    private List<String> queues;

    @Option(names = "--expires", paramLabel = "DURATION", converter = DurationOption.class,
        description = "When it ends, such as 90d, 12h, 30m or 45s from now, at most 3650d (default: never).")
    private Duration lifetime;

    @Override
    public Integer call() {
      if (!Names.isPrincipal(principal)) {
        throw new ParameterException(command().commandLine(), "--principal must be " + Names.PRINCIPAL_RULE + "; got " + principal);
      }
      queues.stream().filter(pattern -> !Names.isQueuePattern(pattern)).findFirst().ifPresent(pattern -> {
        throw new ParameterException(command().commandLine(), "--queue must be " + Names.QUEUE_PATTERN_RULE + "; got " + pattern);
      });
      if (queues.size() > PATTERNS_MAX) {
        throw new ParameterException(command().commandLine(), "--queue must be given at most " + PATTERNS_MAX + " times");
      }
      return onTokens(tokens -> {
        print(tokens.create(principal, scopes, new NamePatterns(queues), lifetime));
        return 0;
      });
    }
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists all tokens ever made, oldest first, without their secrets. The last use is behind by up to a minute.")
  static final class Show extends OnDatabase {
    private static final List<String> HEAD =
        List.of("ID", "PRINCIPAL", "SCOPES", "QUEUES", "CREATED", "EXPIRES", "REVOKED", "LAST USED");

    @Override
    public Integer call() {
      return onTokens(tokens -> {
        List<List<String>> lines = new ArrayList<>(List.of(HEAD));
        tokens.list().forEach(token -> lines.add(line(token)));
        print(aligned(lines));
        return 0;
      });
    }

    private static List<String> line(TokenRow token) {
      return List.of(token.id(), token.principal(), token.scopes().replace(' ', ','), token.queues().replace(' ', ','),
          time(token.createdAt()), time(token.expiresAt()), time(token.revokedAt()), time(token.lastUsedAt()));
    }

    private static String time(Long epochMs) {
      return epochMs == null ? "-" : Timestamps.ofMillis(epochMs).toInstant().toString();
    }

    private static String aligned(List<List<String>> lines) {
      List<String> text = new ArrayList<>();
      for (List<String> line : lines) {
        StringBuilder columns = new StringBuilder();
        for (int i = 0; i < line.size(); i++) {
          int column = i;
          int width = lines.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
          columns.append(String.format("%-" + width + "s  ", line.get(i)));
        }
        text.add(columns.toString().stripTrailing());
      }
      return String.join(System.lineSeparator(), text);
    }
  }

  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {
        "Ends a token. Servers refuse it within three seconds; its claims stay until their leases run out.",
        "Revoking the last token does not open the server again."})
  static final class Revoke extends OnDatabase {
    @Parameters(paramLabel = "ID", description = "The token's id, as `token list` shows it: what stands between the two _ of the token.")
    private String id;

    @Override
    public Integer call() {
      return onTokens(tokens -> {
        TokenRow token = tokens.revoke(id);
        if (token == null) {
          return failed("No token has the id " + id + "; see agwp-server token list");
        }
        print("The token " + id + " of " + token.principal() + " is revoked since " + Show.time(token.revokedAt()));
        return 0;
      });
    }
  }
}

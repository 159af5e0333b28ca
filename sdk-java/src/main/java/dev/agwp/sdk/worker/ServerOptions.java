package dev.agwp.sdk.worker;

import dev.agwp.sdk.AgwpClient;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which server a command calls, and as whom. */
final class ServerOptions {
  /** Where a token may stand; it is kept from what a command runs. */
  static final String TOKEN_VARIABLE = "AGWP_TOKEN";

  @Option(names = "--server", required = true, paramLabel = "URL", description = "The server, for example http://127.0.0.1:8080.")
  private URI server;

  @Option(names = "--token-file", paramLabel = "FILE",
      description = "The file with the token that says who calls. It is read for every request, so that a changed token is used at once. "
          + "Default: the environment variable " + TOKEN_VARIABLE + ", else none; COMMAND does not get to see it.")
  private Path tokenFile;

  @Option(names = "--allow-insecure-token",
      description = "Send the token over plain http to another machine too, where whoever stands between can read it (default: refuse to).")
  private boolean allowInsecureToken;

  @Option(names = "--ca-file", paramLabel = "FILE",
      description = "PEM certificates of the authorities to trust for https (default: those the Java runtime trusts).")
  private Path caFile;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  URI uri() {
    return server;
  }

  /** @throws ParameterException when an option cannot be used, with what to give */
  AgwpClient client() {
    AgwpClient.Builder client;
    try {
      client = AgwpClient.builder(server);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(command.commandLine(), "--server: " + wrong.getMessage(), wrong);
    }
    if (allowInsecureToken) {
      client.allowInsecureToken();
    }
    String fromEnvironment = System.getenv(TOKEN_VARIABLE);
    try {
      if (caFile != null) {
        client.caFile(caFile);
      }
      if (tokenFile != null) {
        client.token(new TokenFile(tokenFile));
      } else if (fromEnvironment != null && !fromEnvironment.isBlank()) {
        client.token(fromEnvironment.strip());
      }
      return client.build();
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(command.commandLine(), wrong.getMessage(), wrong);
    }
  }
}

package dev.agwp.server;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code agwp-server audit}. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = "Checks the audit log, and takes checkpoints of it.",
    subcommands = {AuditVerify.class, AuditCheckpoint.class})
final class Audit implements Runnable {
  @Spec
  private CommandSpec command;

  @Override
  public void run() {
    throw new ParameterException(command.commandLine(), "Say what to do: agwp-server audit verify, or agwp-server audit checkpoint");
  }
}

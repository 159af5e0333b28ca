package dev.agwp.server;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.MalformedAttestation;
import dev.agwp.attestation.Statement;
import dev.agwp.attestation.VerificationKey;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code agwp-server attestation}: what anybody can check of an attestation with no server at hand. */
@Command(name = "attestation", mixinStandardHelpOptions = true, description = "Attestations that were fetched by getAttestation.")
final class AttestationCommand implements Runnable {
  private static final int VERIFIED = 0;
  private static final int NOT_VERIFIED = 1;

  @Spec
  private CommandSpec command;

  @Override
  public void run() {
    throw new ParameterException(command.commandLine(), "Say what to do: agwp-server attestation verify");
  }

  @Command(name = "verify", mixinStandardHelpOptions = true, sortOptions = false,
      description = "Verifies a DSSE envelope around an in-toto Statement and prints what it says. Needs neither server nor database.",
      footer = {
        "",
        "A key is believed because you give it: nothing says here whose it is, or whether it was revoked.",
        "Exit status: 0 verified, 1 not, 2 wrong usage or a file that cannot be read."})
  int verify(
      @Parameters(paramLabel = "FILE", description = "The bytes that getAttestation answered.") Path file,
      @Option(names = "--key", required = true, paramLabel = "PEM",
          description = "A PEM file, BEGIN PUBLIC KEY. Give it again for more; one valid signature by one of them is enough.") List<Path> keyFiles,
      @Option(names = "--subject", paramLabel = "sha256:HEX", description = "The digest it must be about.") String subject,
      @Option(names = "--job", paramLabel = "ID", description = "The job it must be about.") String jobId) {
    List<VerificationKey> signers = new ArrayList<>();
    Statement statement;
    try {
      DsseEnvelope envelope = DsseEnvelope.parse(bytes(file));
      for (Path keyFile : keyFiles) {
        VerificationKey key = TextFile.read(command, "--key", keyFile, VerificationKey::ofPem);
        if (envelope.isSignedBy(key)) {
          signers.add(key);
        }
      }
      statement = envelope.statement();
    } catch (MalformedAttestation malformed) {
      return not(malformed.getMessage());
    }
    if (signers.isEmpty()) {
      return not("no signature is valid by a key that was given");
    }
    if (subject != null && !statement.subjectDigests().contains(subject)) {
      return not("it is about " + statement.subjectDigests() + ", not about " + subject);
    }
    if (jobId != null && !jobId.equals(statement.jobId())) {
      return not("it is about the job " + statement.jobId() + ", not about " + jobId);
    }
    tell(statement, signers);
    return VERIFIED;
  }

  private byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException unreadable) {
      throw new ParameterException(command.commandLine(), file + " cannot be read", unreadable);
    }
  }

  private void tell(Statement statement, List<VerificationKey> signers) {
    PrintWriter out = command.commandLine().getOut();
    out.println("verified");
    signers.forEach(key -> out.println("key        " + key.id() + " (" + key.kind() + ")"));
    statement.subjectDigests().forEach(digest -> out.println("subject    " + digest));
    line(out, "predicate  ", statement.predicateType());
    line(out, "job        ", statement.jobId());
    line(out, "attempt    ", statement.fencingToken());
    line(out, "principal  ", statement.principal());
  }

  /** What is not said is not printed, and what a file says need not be printable. */
  private static void line(PrintWriter out, String name, Object value) {
    if (value != null) {
      out.println(name + value.toString().replaceAll("\\p{Cntrl}", "?"));
    }
  }

  private int not(String why) {
    command.commandLine().getErr().println("NOT VERIFIED: " + why.replaceAll("\\p{Cntrl}", "?"));
    return NOT_VERIFIED;
  }
}

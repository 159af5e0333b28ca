package dev.agwp.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes for the build what is made of {@code openapi.yaml}, beside it: {@code agwp.proto}, and the document as JSON. */
public final class DerivedFiles {
  static final String JSON = "openapi.json";

  private DerivedFiles() {}

  /** The one argument is the folder. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    Contract contract = Contract.parse(Files.readString(folder.resolve("openapi.yaml")));
    Files.writeString(folder.resolve("agwp.proto"), ProtoWriter.write(contract));
    Files.writeString(folder.resolve(JSON), contract.document().toString());
  }
}

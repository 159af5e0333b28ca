package dev.agwp.spec.diff;

/** Who is hurt by a change of a contract. */
public enum Breaks {
  /** Programs built against the old contract that call a server of the new one. */
  OLD_CLIENTS("old clients"),
  /** Programs built against the new contract that call a server of the old one. */
  OLD_SERVERS("old servers"),
  /** Programs whose source uses generated code: the wire is the same, but they no longer compile or mean something else. */
  GENERATED_SOURCE("generated source"),
  /** Programs that speak Protobuf: names are the same, but bytes are not. */
  WIRE_ONLY("wire only");

  private final String words;

  Breaks(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}

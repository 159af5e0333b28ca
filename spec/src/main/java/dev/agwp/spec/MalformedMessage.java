package dev.agwp.spec;

/** Protobuf bytes that are not the message they should be. */
public final class MalformedMessage extends Exception {
  private static final long serialVersionUID = 1;

  private final String field;

  MalformedMessage(String field, String what) {
    super(field.isEmpty() ? what : field + " " + what);
    this.field = field;
  }

  /** The field at fault as the JSON form names it, for example {@code jobs[3].payload}; empty when it is the whole message. */
  public String field() {
    return field;
  }
}

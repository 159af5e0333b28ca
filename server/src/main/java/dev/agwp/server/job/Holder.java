package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.agwp.server.http.Caller;

/**
 * Who holds a claim or a lease, {@code <principal>|<worker label>}; the only place that knows the bar. The contract keeps it out of labels,
 * so the last bar always parts the two, whatever a principal holds.
 */
public record Holder(String principal, String worker) {
  public static Holder of(Caller caller, String worker) {
    return new Holder(caller.principal(), worker);
  }

  /** Of what {@link #name} gave. */
  public static Holder parse(String name) {
    int bar = name.lastIndexOf('|');
    return new Holder(name.substring(0, bar), name.substring(bar + 1));
  }

  @JsonValue
  public String name() {
    return principal + "|" + worker;
  }
}

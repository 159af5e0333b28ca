package dev.agwp.server.job;

import java.util.List;

/** The parameter of the statement that claims, for tests outside of this package. */
public final class TestClaims {
  private TestClaims() {}

  public static List<ClaimingInOrder> of(String worker, int maxJobs) {
    return ClaimingInOrder.of(List.of(new Claiming(List.of(), new Holder("local", worker), 60, maxJobs, null)));
  }
}

package dev.agwp.server.lease;

/**
 * What came of one try to acquire.
 *
 * @param lease null when something stood in its way
 * @param isNew false for the lease that the same request got before
 * @param blocker null when nothing did
 */
record Attempt(LeaseRow lease, boolean isNew, Blocker blocker) {
  static Attempt given(LeaseRow lease) {
    return new Attempt(lease, true, null);
  }

  static Attempt repeated(LeaseRow lease) {
    return new Attempt(lease, false, null);
  }

  static Attempt blocked(Blocker blocker) {
    return new Attempt(null, false, blocker);
  }

  boolean isGranted() {
    return lease != null;
  }
}

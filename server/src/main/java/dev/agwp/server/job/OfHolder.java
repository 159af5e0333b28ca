package dev.agwp.server.job;

/** A call that only the holder of a job may make. */
sealed interface OfHolder extends JobCall permits Heartbeat, Completion, Failure, Release {
  HolderCall call();

  /** What its holder claims in the same transaction, once this call is applied; null for nothing. */
  default Claiming next() {
    return null;
  }

  @Override
  default Object subject() {
    return call().jobId();
  }
}

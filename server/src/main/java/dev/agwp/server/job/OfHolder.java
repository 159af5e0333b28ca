package dev.agwp.server.job;

/** A call that only the holder of a job may make. */
sealed interface OfHolder extends JobCall permits Heartbeat, Completion, Failure, Release {
  HolderCall call();

  @Override
  default Object subject() {
    return call().jobId();
  }
}

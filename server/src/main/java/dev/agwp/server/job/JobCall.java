package dev.agwp.server.job;

/** What one caller asks to be written: the row that a statement of {@link JobMapper} reads. */
public sealed interface JobCall permits NewJob, Claiming, OfHolder {
  /** What the call is about: two calls about the same are never in one batch, so that one statement never meets a job twice. */
  Object subject();

  /** How much the call has to write, about. */
  default int bytes() {
    return 0;
  }
}

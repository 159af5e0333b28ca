package dev.agwp.bench;

import java.io.IOException;
import java.sql.SQLException;

/** What hands out jobs: all of them are enqueued first, then callers claim one, end it and go on until none is left. */
interface Contender {
  String name();

  /** Known once it ran. */
  String version();

  /** Whether a run leaves something warm for the next; else one run before those that count is enough. */
  default boolean keepsWarm() {
    return true;
  }

  /**
   * Measures one run on a fresh database.
   *
   * @throws NotOffered when this machine or this server cannot do it
   */
  Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException;

  /** Jobs that were claimed and ended, and the seconds that took. */
  record Result(int jobs, double seconds) {
    double perSecond() {
      return jobs / seconds;
    }
  }

  /** A line that says what is missing. */
  final class NotOffered extends IOException {
    private static final long serialVersionUID = 1;

    NotOffered(String what) {
      super(what);
    }
  }
}

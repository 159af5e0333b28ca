package dev.agwp.server.lease;

import java.util.stream.Stream;

/**
 * A path of a change, and the token of the lease that covers it.
 *
 * @param place where the path stands in the request
 */
record CoveredPath(int place, String path, long token) {
  /** A range that overlaps the path, as a row for a statement. */
  record Range(int place, long token, String fromPath, String beforePath) {}

  Stream<Range> ranges() {
    return PathRange.overlapping(place, path).stream().map(range -> new Range(place, token, range.fromPath(), range.beforePath()));
  }
}

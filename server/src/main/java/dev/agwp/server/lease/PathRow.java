package dev.agwp.server.lease;

import java.util.Collection;
import java.util.List;

/** A path as a row for a statement. */
record PathRow(String path) {
  static List<PathRow> of(Collection<String> paths) {
    return paths.stream().map(PathRow::new).toList();
  }
}

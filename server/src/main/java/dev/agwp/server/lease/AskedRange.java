package dev.agwp.server.lease;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.stream.Stream;

/**
 * A range that an acquire asks for.
 *
 * @param ticket its place in the order of arrival; null for one that has just come, which is after all others
 */
record AskedRange(Long ticket, @JsonUnwrapped PathRange range) {
  static Stream<AskedRange> of(Acquiring asked, Long ticket) {
    return asked.ranges().stream().map(range -> new AskedRange(ticket, range));
  }

  static List<AskedRange> list(Acquiring asked, Long ticket) {
    return of(asked, ticket).toList();
  }
}

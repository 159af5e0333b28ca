package dev.agwp.spec.diff;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The table of contract-diff.md: changes that this gate and others were measured with. */
final class SixtyChanges {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| (.+) \\| (yes|no) \\| (yes|no) \\| (?:yes|no) \\|$");

  private SixtyChanges() {}

  /**
   * A change of the table.
   *
   * @param change the name of a mutation of ours
   */
  record Row(int number, String change, boolean breaks, boolean seenByOpenApiDiff) {
    Mutation mutation() {
      List<Mutation> mutations = breaks ? BreakingMutations.all() : CompatibleMutations.all();
      return mutations.stream().filter(mutation -> mutation.name().equals(change)).findFirst().orElseThrow(
          () -> new AssertionError("no mutation that " + (breaks ? "breaks somebody" : "breaks nobody") + " is named: " + change));
    }
  }

  static List<Row> ofThePage() {
    try {
      return ROW.matcher(Files.readString(Path.of("contract-diff.md"))).results()
          .map(row -> new Row(Integer.parseInt(row.group(1)), row.group(2), row.group(3).equals("yes"), row.group(4).equals("yes")))
          .toList();
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}

package dev.agwp.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes what was found: a table to read, the same for programs, and a picture. */
final class Report {
  private final Machine machine;
  private final int rounds;
  private final Results results;

  Report(Machine machine, int rounds, Results results) {
    this.machine = machine;
    this.rounds = rounds;
    this.results = results;
  }

  void write() throws IOException {
    Files.writeString(Bench.TARGET.resolve("bench.md"), markdown());
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(Bench.TARGET.resolve("bench.json").toFile(), tree());
    Files.writeString(Bench.TARGET.resolve("bench.svg"), Chart.of(results.throughput()));
  }

  private String markdown() {
    List<String> lines = new ArrayList<>();
    lines.add("Commit " + machine.commit() + ". " + machine.database() + ", fsync and synchronous_commit on. " + machine.java() + ". "
        + machine.hardware() + ". Rounds: " + rounds + ".");
    addThroughput(lines);
    addRatios(lines);
    addFigures(lines);
    addNotMeasured(lines);
    return String.join("\n", lines) + "\n";
  }

  private void addThroughput(List<String> lines) {
    lines.add("");
    lines.add("| id | what | version | callers | jobs/s, median | min .. max |");
    lines.add("| --- | --- | --- | ---: | ---: | --- |");
    results.throughput().forEach((row, spread) -> lines.add("| " + row.id() + " | " + row.contender().name() + " | "
        + row.contender().version() + " | " + row.callers() + " | " + Spread.shown(spread.median()) + " | " + range(spread) + " |"));
  }

  private void addRatios(List<String> lines) {
    lines.add("");
    lines.add("| ratio | wanted | is |");
    lines.add("| --- | ---: | ---: |");
    for (Ratio ratio : Ratio.WANTED) {
      Optional<Double> is = ratio.of(results);
      String shown = is.map(value -> String.format(Locale.ROOT, "%.2f", value)).orElse("not measured");
      boolean reached = is.isPresent() && is.get() >= ratio.wanted();
      lines.add("| " + ratio.says() + " | >= " + ratio.wanted() + " | " + (reached ? "**" + shown + "**" : shown) + " |");
    }
  }

  private void addFigures(List<String> lines) {
    if (results.figures().isEmpty()) {
      return;
    }
    lines.add("");
    lines.add("| AGWP alone | figure | median | min .. max |");
    lines.add("| --- | --- | ---: | --- |");
    results.figures().forEach((probe, figures) -> figures.forEach((figure, spread) ->
        lines.add("| " + probe + " | " + figure + " | " + Spread.shown(spread.median()) + " | " + range(spread) + " |")));
  }

  private void addNotMeasured(List<String> lines) {
    lines.add("");
    results.notMeasured().forEach((what, why) -> lines.add("- " + what + ": " + why));
  }

  private static String range(Spread spread) {
    return Spread.shown(spread.min()) + " .. " + Spread.shown(spread.max());
  }

  private Map<String, Object> tree() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("machine", machine);
    List<Map<String, Object>> rows = new ArrayList<>();
    results.throughput().forEach((row, spread) -> {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("id", row.id());
      one.put("what", row.contender().name());
      one.put("version", row.contender().version());
      one.put("callers", row.callers());
      one.put("jobs_per_second", spread.rounds());
      rows.add(one);
    });
    tree.put("throughput", rows);
    Map<String, Object> ratios = new LinkedHashMap<>();
    Ratio.WANTED.forEach(ratio -> ratio.of(results).ifPresent(is -> ratios.put(ratio.says(), is)));
    tree.put("ratios", ratios);
    tree.put("figures", results.figures());
    tree.put("not_measured", results.notMeasured());
    return tree;
  }
}

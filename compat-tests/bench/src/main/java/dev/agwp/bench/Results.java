package dev.agwp.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a run of the bench found, in the order of the roster. */
final class Results {
  private final Map<Row, List<Double>> throughput = new LinkedHashMap<>();
  private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
  private final Map<String, String> notMeasured = new LinkedHashMap<>();

  Results(List<Row> rows) {
    rows.forEach(row -> throughput.put(row, new ArrayList<>()));
  }

  void add(Row row, double perSecond) {
    throughput.get(row).add(perSecond);
  }

  void add(Probe probe, Map<String, Double> measured) {
    Map<String, List<Double>> ofProbe = figures.computeIfAbsent(probe.name(), first -> new LinkedHashMap<>());
    measured.forEach((figure, value) -> ofProbe.computeIfAbsent(figure, first -> new ArrayList<>()).add(value));
  }

  void notMeasured(String what, String why) {
    notMeasured.put(what, why);
  }

  boolean isOut(String what) {
    return notMeasured.containsKey(what);
  }

  Map<Row, Spread> throughput() {
    Map<Row, Spread> spreads = new LinkedHashMap<>();
    throughput.forEach((row, rounds) -> {
      if (!rounds.isEmpty()) {
        spreads.put(row, new Spread(rounds));
      }
    });
    return spreads;
  }

  /** By probe, then by figure. */
  Map<String, Map<String, Spread>> figures() {
    Map<String, Map<String, Spread>> spreads = new LinkedHashMap<>();
    figures.forEach((probe, ofProbe) -> {
      Map<String, Spread> of = spreads.computeIfAbsent(probe, first -> new LinkedHashMap<>());
      ofProbe.forEach((figure, rounds) -> of.put(figure, new Spread(rounds)));
    });
    return spreads;
  }

  /** What was skipped or failed, and why. */
  Map<String, String> notMeasured() {
    return notMeasured;
  }

  /** Of the row of these with the best median; empty when none of them was measured. */
  Optional<Spread> best(List<String> rowIds) {
    return throughput().entrySet().stream()
        .filter(entry -> rowIds.contains(entry.getKey().id()))
        .map(Map.Entry::getValue)
        .max(Comparator.comparingDouble(Spread::median));
  }
}

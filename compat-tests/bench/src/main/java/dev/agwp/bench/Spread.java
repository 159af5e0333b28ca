package dev.agwp.bench;

import java.util.List;
import java.util.Locale;

/** What the rounds of one row gave. */
record Spread(List<Double> rounds) {
  double median() {
    List<Double> sorted = rounds.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  double min() {
    return rounds.stream().min(Double::compare).orElseThrow();
  }

  double max() {
    return rounds.stream().max(Double::compare).orElseThrow();
  }

  /** Whole numbers from 100 on; below that two digits after the point, as milliseconds need. */
  static String shown(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : "%.2f", value);
  }
}

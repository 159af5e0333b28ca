package dev.agwp.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** What the rounds of one row gave. */
record Spread(List<Double> rounds) {
  double median() {
    List<Double> sorted = rounds.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** The median of the ratios in each round: what slows a round down slows both sides. */
  double to(Spread other) {
    return new Spread(IntStream.range(0, Math.min(rounds.size(), other.rounds.size()))
        .mapToObj(round -> rounds.get(round) / other.rounds.get(round))
        .toList()).median();
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

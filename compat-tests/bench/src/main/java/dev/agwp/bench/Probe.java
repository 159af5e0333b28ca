package dev.agwp.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** A figure of the product alone, that no peer is held against: how long one call takes, how fast jobs come in. */
interface Probe {
  String name();

  /** Before the rounds that count: does what will be measured, for so long, where that makes it faster. */
  default void warmUp(Duration atMost) throws IOException, SQLException, InterruptedException {}

  /** Figures by what they are, unit included, in the order to show them. */
  Map<String, Double> run(int samples) throws IOException, SQLException, InterruptedException;
}

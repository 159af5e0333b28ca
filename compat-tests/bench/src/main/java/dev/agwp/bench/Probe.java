package dev.agwp.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;

/** A figure of the product alone, that no peer is held against: how long one call takes, how fast jobs come in. */
interface Probe {
  String name();

  /** Figures by what they are, unit included, in the order to show them. */
  Map<String, Double> run(int samples) throws IOException, SQLException, InterruptedException;
}

package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;

/**
 * A server process that is claimed from over HTTP. It starts when it is first needed and goes on running between measurements, as
 * servers do; the tables are emptied before each.
 */
interface JobServer extends AutoCloseable {
  URI uri() throws IOException, SQLException;

  String version();

  /** Leaves exactly these jobs to be claimed, all on this queue. */
  void fill(String queue, int jobs) throws IOException, SQLException;

  @Override
  void close() throws IOException, SQLException;
}

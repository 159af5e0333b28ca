package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;

/** One at a time over HTTP, where jobs have come and gone as fast as they can and nothing was ever tidied but by the database itself. */
final class Bloated implements Contender {
  private static final int JOBS_AT_ONCE = 10_000;

  private final Agwp server;
  private final Duration before;
  private int gone;

  Bloated(Agwp server, Duration before) {
    this.server = server;
    this.before = before;
  }

  @Override
  public String name() {
    return "AGWP, one at a time, after " + gone + " jobs in " + before.toMinutes() + " minutes";
  }

  @Override
  public String version() {
    return server.version();
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    if (gone == 0) {
      long end = System.nanoTime() + before.toNanos();
      do {
        gone += pass(JOBS_AT_ONCE, callers, Way.MANY_A_CLAIM_COMPLETED_AT_ONCE).jobs();
      } while (System.nanoTime() < end);
    }
    return pass(jobs, callers, Way.ONE_AT_A_TIME);
  }

  private Result pass(int jobs, int callers, Way way) throws IOException, SQLException, InterruptedException {
    URI uri = server.uri();
    String queue = HttpClaims.nextQueue();
    server.enqueue(queue, jobs);
    return Callers.run(jobs, callers, number -> way.caller(HttpCaller.Client.LEAN.connect(uri), queue, "w" + number));
  }
}

package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers of a server over HTTP, in one of the ways the contract gives to claim and to complete. */
final class HttpClaims implements Contender {
  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final String name;
  private final JobServer server;
  private final HttpCaller.Client client;
  private final Way way;

  HttpClaims(String name, JobServer server, HttpCaller.Client client, Way way) {
    this.name = name;
    this.server = server;
    this.client = client;
    this.way = way;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return server.version();
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    URI uri = server.uri();
    checkOffered(uri);
    String queue = nextQueue();
    server.fill(queue, jobs);
    return Callers.run(jobs, callers, number -> way.caller(client.connect(uri), queue, "w" + number));
  }

  /** A new name each time: a server may remember what it knows of a queue. */
  static String nextQueue() {
    return "bench-" + QUEUES.incrementAndGet();
  }

  private void checkOffered(URI uri) throws IOException {
    if (way.needs() == null) {
      return;
    }
    try (LeanHttp http = new LeanHttp(uri)) {
      if (!http.get("/openapi.yaml").contains(way.needs())) {
        throw new NotOffered(way.needs() + " is not offered by this server");
      }
    }
  }
}

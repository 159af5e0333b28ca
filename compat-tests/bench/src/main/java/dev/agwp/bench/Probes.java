package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** The probes of a server of the product. */
final class Probes {
  private static final int ENQUEUES_PER_SAMPLE = 10;
  private static final int STARTS_MAX = 5;
  /** Between questions whether a claim waits: who asks without a pause leaves no system idle. */
  private static final long IDLE_NANOS = 20_000_000;

  private Probes() {}

  /** One caller, nobody else: what a claim and a completion take. */
  record OneCaller(String name, JobServer server) implements Probe {
    @Override
    public Map<String, Double> run(int samples) throws IOException, SQLException {
      URI uri = server.uri();
      String queue = HttpClaims.nextQueue();
      server.fill(queue, samples);
      long[] claims = new long[samples];
      long[] completions = new long[samples];
      try (LeanHttp http = new LeanHttp(uri)) {
        Way.Connection worker = new Way.Connection(http, queue, "w1");
        for (int i = 0; i < samples; i++) {
          long start = System.nanoTime();
          Claimed job = worker.claim(1).get(0);
          long claimed = System.nanoTime();
          worker.complete(job);
          claims[i] = claimed - start;
          completions[i] = System.nanoTime() - claimed;
        }
      }
      Map<String, Double> figures = new LinkedHashMap<>();
      percentiles("claim", claims, figures);
      percentiles("complete", completions, figures);
      return figures;
    }
  }

  /**
   * An idle system and one claim that waits: from before the enqueue is sent until the waiting claim is answered.
   *
   * @param other takes the jobs: the same server, or a replica of it
   */
  record WaitingClaim(String name, JobServer server, JobServer other) implements Probe {
    private static final int SAMPLES_PER_WARM_UP = 100;

    @Override
    public void warmUp(Duration atMost) throws IOException, SQLException, InterruptedException {
      long end = System.nanoTime() + atMost.toNanos();
      while (System.nanoTime() < end) {
        delivered(SAMPLES_PER_WARM_UP, 0);
      }
    }

    @Override
    public Map<String, Double> run(int samples) throws IOException, SQLException, InterruptedException {
      Map<String, Double> figures = new LinkedHashMap<>();
      percentiles("enqueue to delivered claim", delivered(samples, IDLE_NANOS), figures);
      return figures;
    }

    private long[] delivered(int samples, long idleNanos) throws IOException, SQLException, InterruptedException {
      URI uri = server.uri();
      String queue = HttpClaims.nextQueue();
      server.fill(queue, 0);
      long[] delivered = new long[samples];
      ExecutorService waiter = Executors.newSingleThreadExecutor();
      try (LeanHttp waiting = new LeanHttp(uri); LeanHttp watching = new LeanHttp(uri); LeanHttp producer = new LeanHttp(other.uri())) {
        for (int i = 0; i < samples; i++) {
          Future<Long> answeredAt = waiter.submit(() -> claimWhenItComes(waiting, queue));
          awaitWaitingClaim(watching, idleNanos);
          long enqueued = System.nanoTime();
          producer.post("/v1/jobs", Agwp.enqueueing(queue));
          delivered[i] = answeredAt.get() - enqueued;
        }
      } catch (ExecutionException failed) {
        throw new IOException("a waiting claim failed: " + failed.getCause(), failed.getCause());
      } finally {
        waiter.shutdownNow();
      }
      return delivered;
    }

    private static long claimWhenItComes(LeanHttp http, String queue) throws IOException {
      String answer = http.post("/v1/jobs/claim",
          "{\"queues\":[\"" + queue + "\"],\"worker\":\"w1\",\"lease_seconds\":60,\"wait_seconds\":30}");
      long answeredAt = System.nanoTime();
      if (Claimed.in(answer).isEmpty()) {
        throw new IOException("the waiting claim was answered with no job");
      }
      return answeredAt;
    }

    private static void awaitWaitingClaim(LeanHttp http, long idleNanos) throws IOException {
      while (!http.get("/metrics").contains("\nagwp_claims_waiting 1.0")) {
        LockSupport.parkNanos(idleNanos);
      }
    }
  }

  /** From the start of the process, on an empty database, until it says that it serves. */
  record StartUp(String name, Path jar, Agwp.Storage storage) implements Probe {
    @Override
    public Map<String, Double> run(int samples) throws IOException, SQLException {
      long[] started = new long[Math.min(samples, STARTS_MAX)];
      for (int i = 0; i < started.length; i++) {
        try (Agwp server = new Agwp("agwp-starting", jar, storage)) {
          long start = System.nanoTime();
          server.uri();
          started[i] = System.nanoTime() - start;
        }
      }
      Arrays.sort(started);
      return Map.of("start to serving, ms", started[started.length / 2] / 1e6);
    }
  }

  /** Memory that is in use after the load of all the rows before. */
  record LiveHeap(String name, Agwp server) implements Probe {
    private static final double MIB = 1024 * 1024;

    @Override
    public Map<String, Double> run(int samples) throws IOException, SQLException {
      return Map.of("live heap, MiB", server.liveHeapBytes() / MIB);
    }
  }

  /** Producers side by side, a job a request. */
  record EnqueueRate(String name, JobServer server, int callers) implements Probe {
    @Override
    public Map<String, Double> run(int samples) throws IOException, SQLException, InterruptedException {
      URI uri = server.uri();
      String queue = HttpClaims.nextQueue();
      server.fill(queue, 0);
      String job = Agwp.enqueueing(queue);
      Contender.Result result = Callers.run(samples * ENQUEUES_PER_SAMPLE, callers, number -> new Producer(new LeanHttp(uri), job));
      return Map.of("jobs/s", result.perSecond());
    }
  }

  private record Producer(LeanHttp http, String job) implements Callers.Caller {
    @Override
    public int step() throws IOException {
      http.post("/v1/jobs", job);
      return 1;
    }

    @Override
    public void close() throws IOException {
      http.close();
    }
  }

  private static void percentiles(String what, long[] nanos, Map<String, Double> figures) {
    Arrays.sort(nanos);
    for (int percent : List.of(50, 99)) {
      figures.put(what + " p" + percent + ", ms", nanos[Math.min(nanos.length - 1, nanos.length * percent / 100)] / 1e6);
    }
  }
}

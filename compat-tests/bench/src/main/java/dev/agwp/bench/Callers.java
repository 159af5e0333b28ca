package dev.agwp.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers side by side, each with a thread and a connection of its own, timed from their common start. */
final class Callers {
  private static final long RUN_SECONDS_MAX = 120;

  private Callers() {}

  interface Caller extends AutoCloseable {
    /** One turn, as claiming and ending what the claim gives. Answers how many jobs that were. */
    int step() throws IOException, SQLException;

    @Override
    void close() throws IOException, SQLException;
  }

  /** Opens the connection of the caller with this number. */
  interface Opening {
    Caller open(int number) throws IOException, SQLException;
  }

  static Contender.Result run(int jobs, int callers, Opening opening) throws IOException, SQLException, InterruptedException {
    List<Caller> opened = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      for (int i = 0; i < callers; i++) {
        opened.add(opening.open(i));
      }
      AtomicInteger ended = new AtomicInteger();
      long start = System.nanoTime();
      long deadline = start + TimeUnit.SECONDS.toNanos(RUN_SECONDS_MAX);
      List<Future<Void>> done = threads.invokeAll(opened.stream().map(caller -> untilAllEnded(caller, ended, jobs, deadline)).toList());
      double seconds = (System.nanoTime() - start) / 1e9;
      for (Future<Void> one : done) {
        one.get();
      }
      return new Contender.Result(ended.get(), seconds);
    } catch (ExecutionException failed) {
      throw new IOException("a caller failed: " + failed.getCause(), failed.getCause());
    } finally {
      threads.shutdownNow();
      for (Caller caller : opened) {
        caller.close();
      }
    }
  }

  private static Callable<Void> untilAllEnded(Caller caller, AtomicInteger ended, int jobs, long deadline) {
    return () -> {
      try {
        while (ended.get() < jobs) {
          ended.addAndGet(caller.step());
          if (System.nanoTime() > deadline) {
            throw new IOException("only " + ended + " of " + jobs + " jobs ended in " + RUN_SECONDS_MAX + " s");
          }
        }
        return null;
      } catch (IOException | SQLException failed) {
        // What it had claimed will not end: the others need not look for it.
        ended.addAndGet(jobs);
        throw failed;
      }
    };
  }
}

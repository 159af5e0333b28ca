package dev.agwp.server.audit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Work on a thread of its own, every so often until it is closed, and once more then. */
final class RepeatedWork implements AutoCloseable {
  private static final long STOP_WITHIN_MS = 10_000;

  private final long everyMs;
  private final Work work;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;

  interface Work {
    /** @param last whether it is closed and this was the last time */
    void run(boolean last);
  }

  RepeatedWork(String name, long everyMs, Work work) {
    this.everyMs = everyMs;
    this.work = work;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    boolean last = false;
    while (!last) {
      last = stops();
      work.run(last);
    }
  }

  private boolean stops() {
    try {
      return stopping.await(everyMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      return true;
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    try {
      thread.join(STOP_WITHIN_MS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

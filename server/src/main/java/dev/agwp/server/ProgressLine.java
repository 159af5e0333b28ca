package dev.agwp.server;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** How far a long command has come: a bar that is drawn again on a terminal, else a line now and then. */
final class ProgressLine implements AutoCloseable {
  private static final int BAR_CHARS = 30;
  private static final long REDRAW_MS = 200;
  private static final long LINE_MS = 10_000;

  private final PrintWriter out;
  private final boolean terminal;
  private long shownNanos = System.nanoTime();
  private boolean drawn;

  private ProgressLine(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  static ProgressLine on(PrintWriter out) {
    return new ProgressLine(out, System.console() != null);
  }

  void at(long done, long of) {
    if (System.nanoTime() - shownNanos < TimeUnit.MILLISECONDS.toNanos(terminal ? REDRAW_MS : LINE_MS)) {
      return;
    }
    shownNanos = System.nanoTime();
    String figures = done + " of " + of + " events";
    if (terminal) {
      int full = of == 0 ? BAR_CHARS : (int) Math.min(BAR_CHARS, BAR_CHARS * done / of);
      out.print("\r[" + "#".repeat(full) + " ".repeat(BAR_CHARS - full) + "] " + figures);
      drawn = true;
    } else {
      out.println(figures);
    }
    out.flush();
  }

  /** Leaves the line of the bar. */
  @Override
  public void close() {
    if (drawn) {
      out.println();
      drawn = false;
    }
  }
}

package dev.agwp.sdk.worker;

import dev.agwp.sdk.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The last of what a command prints, however much that is. Bytes that are not UTF-8 become U+FFFD, U+0000 too. */
final class OutputTail {
  private static final int CHARS_MAX = Outcome.TEXT_CHARS_MAX;
  private static final long READ_TO_END_MS = 5_000;

  private final StringBuilder tail = new StringBuilder();
  private final Thread reader;

  OutputTail(InputStream output) {
    reader = new Thread(() -> read(output), "ag-worker-stdout");
    reader.setDaemon(true);
    reader.start();
  }

  /** Waits for the end of the output, but not for ever: a process that escaped may hold it open. */
  String text() throws InterruptedException {
    reader.join(TimeUnit.MILLISECONDS.toMillis(READ_TO_END_MS));
    synchronized (tail) {
      return cut(tail.toString().stripTrailing());
    }
  }

  /** The last characters of a text that the contract takes as a summary. */
  static String cut(String text) {
    String clean = text.replace('\0', '\ufffd');
    int from = Math.max(0, clean.length() - CHARS_MAX);
    // Half a surrogate pair is no character.
    if (from > 0 && Character.isLowSurrogate(clean.charAt(from))) {
      from++;
    }
    return clean.substring(from);
  }

  private void read(InputStream output) {
    char[] buffer = new char[8192];
    try (Reader text = new InputStreamReader(output, StandardCharsets.UTF_8)) {
      for (int count = text.read(buffer); count >= 0; count = text.read(buffer)) {
        synchronized (tail) {
          tail.append(buffer, 0, count);
          if (tail.length() > 4 * CHARS_MAX) {
            tail.delete(0, tail.length() - 2 * CHARS_MAX);
          }
        }
      }
    } catch (IOException killed) {
      // What came until then is the tail.
    }
  }
}

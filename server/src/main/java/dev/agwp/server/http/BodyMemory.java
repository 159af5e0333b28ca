package dev.agwp.server.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for what request bodies hold while they are worked on, of all clients together. A body of many small values takes many times
 * its bytes once it is read, so a handful could use up the heap and take the whole server down.
 */
final class BodyMemory {
  /** Of the bytes themselves: as they came, as text, and as the strings in it. */
  private static final long BYTES_PER_BYTE = 5;
  /** What a value takes at most, in the message that is made of it, and before that of Protobuf in a tree. */
  private static final long BYTES_PER_VALUE = 160;

  private final long bytesMax;
  private final AtomicLong taken = new AtomicLong();
  private final ThreadLocal<Long> ofThread = new ThreadLocal<>();

  BodyMemory(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Takes what this body may need, until {@link #release} on the same thread. The largest is let in when no other is there.
   *
   * @throws ApiException {@code unavailable} while others hold too much
   */
  void take(byte[] body) {
    long needed = Math.min(needed(body), bytesMax);
    if (taken.addAndGet(needed) > bytesMax) {
      taken.addAndGet(-needed);
      throw BodyLimit.tooMuchAtOnce();
    }
    ofThread.set(needed);
  }

  /** The request of this thread has been worked on. */
  void release() {
    Long needed = ofThread.get();
    if (needed != null) {
      ofThread.remove();
      taken.addAndGet(-needed);
    }
  }

  private static long needed(byte[] body) {
    long values = 0;
    for (byte one : body) {
      if (one == ',' || one == ':' || one == '{' || one == '[') {
        values++;
      }
    }
    return body.length * BYTES_PER_BYTE + values * BYTES_PER_VALUE;
  }
}

package dev.agwp.server.queue;

import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.UnfencedCalls;

/** The calls without a fencing token of one worker for the jobs of one queue. */
public record UnfencedRow(String queue, String principal, String worker, long calls, long lastAt) {
  UnfencedCalls toMessage() {
    return new UnfencedCalls().principal(principal).worker(worker).calls(calls).lastAt(Timestamps.ofMillis(lastAt));
  }
}

package dev.agwp.server.queue;

import java.util.function.Consumer;

/** Spreads the word that a queue may have something to claim: to this server at once, and to its replicas. */
public final class QueueSignals {
  private final Consumer<String> here;
  private final Consumer<String> replicas;

  public QueueSignals(Consumer<String> here, Consumer<String> replicas) {
    this.here = here;
    this.replicas = replicas;
  }

  /** Called after the commit: a claim that tries now must see the job. */
  public void mayBeClaimable(String queue) {
    here.accept(queue);
    replicas.accept(queue);
  }
}

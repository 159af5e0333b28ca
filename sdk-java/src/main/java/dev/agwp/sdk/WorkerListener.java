package dev.agwp.sdk;

import dev.agwp.sdk.model.Job;

/** Hears what a {@link Worker} does, for logs and progress lines. Called on the worker's threads; be quick and do not throw. */
public interface WorkerListener {
  /** A job was claimed and its handler begins. */
  default void claimed(Job job) {}

  /** The server has taken the outcome: the handler's, or the failure that was reported because it refused that. */
  default void reported(Job job, Outcome outcome) {}

  /** The claim went back unused, since the worker drains. */
  default void released(Job job) {}

  /** The claim was lost, so the handler was stopped and nothing is reported. @param why in words */
  default void lost(Job job, String why) {}

  /** No answer to the outcome, so whether the server has it is not known; the lease will tell. */
  default void unknown(Job job, Outcome outcome) {}

  /** The server cannot be reached for a claim; the worker tries again. */
  default void unavailable(AgwpException problem) {}
}

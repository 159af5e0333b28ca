package dev.agwp.sdk;

import dev.agwp.sdk.model.Attestation;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.JobOutcome;
import java.time.Duration;
import java.util.Map;

/**
 * How an attempt ended: with a verdict ({@link #passed}, {@link #failed}), which completes the job, or without one
 * ({@link #retry}, {@link #giveUp}), which fails the attempt.
 */
public final class Outcome {
  /** The longest summary or message the contract takes, in characters. */
  public static final int TEXT_CHARS_MAX = 4096;

  private final CompleteJobRequest completion;
  private final FailJobRequest failure;

  private Outcome(CompleteJobRequest completion, FailJobRequest failure) {
    this.completion = completion;
    this.failure = failure;
  }

  /** The validation ran to its end and found nothing wrong. @param summary for people, at most 4096 characters; may be null */
  public static Outcome passed(String summary) {
    return new Outcome(new CompleteJobRequest().outcome(JobOutcome.PASSED).summary(summary), null);
  }

  /** The validation ran to its end and found something wrong. @param summary for people, at most 4096 characters; may be null */
  public static Outcome failed(String summary) {
    return new Outcome(new CompleteJobRequest().outcome(JobOutcome.FAILED).summary(summary), null);
  }

  /**
   * There is no verdict; try again.
   *
   * @param reason a word for programs, 1 to 256 characters
   * @param message a sentence for people, at most 4096 characters; may be null
   * @param delay before the next attempt, whole seconds up to a year; null leaves it to the server's backoff
   */
  public static Outcome retry(String reason, String message, Duration delay) {
    Integer delaySeconds = delay == null ? null : Math.toIntExact(delay.toSeconds());
    return new Outcome(null, new FailJobRequest().reason(reason).message(message).retryDelaySeconds(delaySeconds));
  }

  /** There is no verdict and there never will be one: the job ends dead. The parameters as for {@link #retry}. */
  public static Outcome giveUp(String reason, String message) {
    return new Outcome(null, new FailJobRequest().reason(reason).message(message).terminal(true));
  }

  /**
   * Adds the evidence.
   *
   * @param mediaType {@code application/vnd.in-toto+json} for an in-toto Statement, {@code application/vnd.dsse.envelope.v1+json} for one
   *     that {@link dev.agwp.attestation.DsseEnvelope} signed, or another, which the server stores unread
   * @param body 1 byte to 1 MiB; stored byte for byte
   * @throws IllegalStateException when there is no verdict to attest
   */
  public Outcome withAttestation(String mediaType, byte[] body) {
    verdict().attestation(new Attestation().mediaType(mediaType).body(body));
    return this;
  }

  /** Adds what was found, for programs: at most 256 KiB as JSON. @throws IllegalStateException when there is no verdict */
  public Outcome withResult(Map<String, Object> result) {
    verdict().result(result);
    return this;
  }

  /** Adds where the log is, an http or https URL. @throws IllegalStateException when there is no verdict */
  public Outcome withLogUrl(String logUrl) {
    verdict().logUrl(logUrl);
    return this;
  }

  /** {@code passed}, {@code failed}, or {@code none} without a verdict. */
  public String verdictWord() {
    return completion == null ? "none" : completion.getOutcome().getValue();
  }

  /** What is said of it, for people; null when nothing is. */
  public String text() {
    return completion == null ? failure.getMessage() : completion.getSummary();
  }

  /** The beginning of a text that is not longer than the contract takes. */
  static String cut(String text) {
    if (text.length() <= TEXT_CHARS_MAX) {
      return text;
    }
    // Half a surrogate pair is no character, and refused.
    boolean pair = Character.isHighSurrogate(text.charAt(TEXT_CHARS_MAX - 1));
    return text.substring(0, pair ? TEXT_CHARS_MAX - 1 : TEXT_CHARS_MAX);
  }

  /** A request for one claim, since a handler may give one outcome for many jobs; null without a verdict. */
  CompleteJobRequest completion() {
    return completion == null ? null : new CompleteJobRequest().outcome(completion.getOutcome()).summary(completion.getSummary())
        .result(completion.getResult()).logUrl(completion.getLogUrl()).attestation(completion.getAttestation());
  }

  /** As {@link #completion}; null with a verdict. */
  FailJobRequest failure() {
    return failure == null ? null : new FailJobRequest().reason(failure.getReason()).message(failure.getMessage())
        .retryDelaySeconds(failure.getRetryDelaySeconds()).terminal(failure.getTerminal());
  }

  private CompleteJobRequest verdict() {
    if (completion == null) {
      throw new IllegalStateException("only passed and failed carry a result, a log URL or an attestation");
    }
    return completion;
  }
}

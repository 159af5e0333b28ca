import { Buffer } from 'node:buffer';
import type { CompleteJobRequest } from './models/CompleteJobRequest.js';
import type { FailJobRequest } from './models/FailJobRequest.js';

/** The longest summary or message the contract takes, in characters. */
export const TEXT_CHARS_MAX = 4096;

export type Completion = Omit<CompleteJobRequest, 'worker' | 'fencingToken'>;
export type Failure = Omit<FailJobRequest, 'worker' | 'fencingToken'>;

/**
 * How an attempt ended: with a verdict (`passed`, `failed`), which completes the job, or without one (`retry`, `dead`), which fails the
 * attempt.
 */
export class Outcome {
  readonly #completion: Completion | undefined;
  readonly #failure: Failure | undefined;

  private constructor(completion?: Completion, failure?: Failure) {
    this.#completion = completion;
    this.#failure = failure;
  }

  /** The validation ran to its end and found nothing wrong. @param summary for people, at most 4096 characters */
  static passed(summary?: string): Outcome {
    return new Outcome({ outcome: 'passed', summary });
  }

  /** The validation ran to its end and found something wrong. @param summary for people, at most 4096 characters */
  static failed(summary?: string): Outcome {
    return new Outcome({ outcome: 'failed', summary });
  }

  /**
   * There is no verdict; try again.
   *
   * @param reason a word for programs, 1 to 256 characters
   * @param message a sentence for people, at most 4096 characters
   * @param delaySeconds before the next attempt, whole seconds 0..31536000; without it the server's backoff decides
   */
  static retry(reason: string, message?: string, delaySeconds?: number): Outcome {
    return new Outcome(undefined, { reason, message, retryDelaySeconds: delaySeconds });
  }

  /** There is no verdict and there never will be one: the job ends dead. The parameters as for `retry`. */
  static dead(reason: string, message?: string): Outcome {
    return new Outcome(undefined, { reason, message, terminal: true });
  }

  /**
   * The same outcome with the evidence.
   *
   * @param mediaType for example `application/vnd.in-toto+json`
   * @param body 1 byte to 1 MiB; stored byte for byte
   * @throws TypeError when there is no verdict to attest, or the body is not bytes
   */
  withAttestation(mediaType: string, body: Uint8Array): Outcome {
    if (!(body instanceof Uint8Array)) {
      throw new TypeError('the body of an attestation must be a Uint8Array');
    }
    return this.#with({ attestation: { mediaType, body: Buffer.from(body).toString('base64') } });
  }

  /** The same outcome with what was found, for programs: at most 256 KiB as JSON. @throws TypeError when there is no verdict */
  withResult(result: { [key: string]: unknown }): Outcome {
    return this.#with({ result });
  }

  /** The same outcome with where the log is, an http or https URL. @throws TypeError when there is no verdict */
  withLogUrl(logUrl: string): Outcome {
    return this.#with({ logUrl });
  }

  /** `passed`, `failed`, or `none` without a verdict. */
  get verdict(): 'passed' | 'failed' | 'none' {
    return this.#completion?.outcome ?? 'none';
  }

  /** What is said of it, for people; undefined when nothing is. */
  get text(): string | undefined {
    return this.#completion === undefined ? this.#failure?.message : this.#completion.summary;
  }

  /** @internal */
  completion(): Completion | undefined {
    return this.#completion;
  }

  /** @internal */
  failure(): Failure {
    return this.#failure ?? {};
  }

  #with(more: Partial<Completion>): Outcome {
    if (this.#completion === undefined) {
      throw new TypeError('only passed and failed carry a result, a log URL or an attestation');
    }
    return new Outcome({ ...this.#completion, ...more });
  }
}

/** At most as many characters as the contract takes, and no half of one. */
export function clipped(text: string): string {
  const cut = text.slice(0, TEXT_CHARS_MAX);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

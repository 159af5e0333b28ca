package dev.agwp.spec.audit;

import dev.agwp.attestation.Sha256;
import java.nio.ByteBuffer;

/** The hash chain over the events of an audit log (ADR-0020): each hash stands for its event and all before it. */
public final class Chain {
  public static final int HASH_BYTES = 32;
  // What is hashed for an event never equals what is hashed for a link, so that neither can be passed off as the other (as RFC 6962).
  private static final byte[] EVENT = {0};
  private static final byte[] LINK = {1};

  private Chain() {}

  /** The hash of a log without events. */
  public static byte[] empty() {
    return new byte[HASH_BYTES];
  }

  /** The hash of one event alone. */
  public static byte[] leaf(byte[] preimage) {
    return Sha256.hash(EVENT, preimage);
  }

  /** @param before the chain's hash before this event */
  public static byte[] next(byte[] before, long seq, byte[] leaf) {
    return Sha256.hash(LINK, before, ByteBuffer.allocate(Long.BYTES).putLong(seq).array(), leaf);
  }
}

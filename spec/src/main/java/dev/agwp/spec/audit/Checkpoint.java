package dev.agwp.spec.audit;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * What an audit log held at one moment. Kept elsewhere, it shows that the log was cut or written anew later. Its text is a checkpoint of
 * C2SP, a signed note where a {@link CheckpointKey} signs it.
 *
 * @param origin names the log
 * @param size how many events it held
 * @param hash the chain's hash of the last of them
 */
public record Checkpoint(String origin, long size, byte[] hash) {
  private static final String ORIGIN_PREFIX = "agwp.dev/audit/";
  private static final int LINES = 3;

  public static Checkpoint of(String logId, long size, byte[] hash) {
    return new Checkpoint(ORIGIN_PREFIX + logId, size, hash);
  }

  /** The three lines; what is signed. */
  public String text() {
    return origin + "\n" + size + "\n" + Base64.getEncoder().encodeToString(hash) + "\n";
  }

  /** @throws IllegalArgumentException when the text does not begin with the lines of a checkpoint, with what is wrong */
  public static Checkpoint parse(String note) {
    List<String> lines = note.lines().limit(LINES).toList();
    if (lines.size() < LINES || !lines.get(0).startsWith(ORIGIN_PREFIX) || !lines.get(1).matches("0|[1-9]\\d{0,17}")) {
      throw new IllegalArgumentException("a checkpoint is " + ORIGIN_PREFIX + "<log>, a size and a hash, each on a line of its own");
    }
    Checkpoint checkpoint = new Checkpoint(lines.get(0), Long.parseLong(lines.get(1)), Base64.getDecoder().decode(lines.get(2)));
    if (checkpoint.hash.length != Chain.HASH_BYTES || !note.startsWith(checkpoint.text())) {
      throw new IllegalArgumentException("the hash of a checkpoint is " + Chain.HASH_BYTES + " bytes in base64, on a line of its own");
    }
    return checkpoint;
  }

  byte[] signedBytes() {
    return text().getBytes(StandardCharsets.UTF_8);
  }
}

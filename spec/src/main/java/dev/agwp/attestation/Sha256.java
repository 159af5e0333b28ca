package dev.agwp.attestation;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, as bytes and in the forms that the contract and files write it. */
public final class Sha256 {
  private Sha256() {}

  /** The digest of these bytes as the contract writes it: {@code sha256:} and 64 lower-case hex digits. */
  public static String of(byte[] bytes) {
    return written(hash(bytes));
  }

  /** The hash of these bytes, one after another. */
  public static byte[] hash(byte[]... parts) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        sha256.update(part);
      }
      return sha256.digest();
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** A hash as the contract writes digests. */
  public static String written(byte[] hash) {
    return "sha256:" + HexFormat.of().formatHex(hash);
  }

  /** 64 lower-case hex digits, as {@code sha256sum} writes them. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(hash(bytes));
  }
}

package dev.agwp.spec;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, as bytes and in the two forms that documents and files write it. */
public final class Sha256 {
  private Sha256() {}

  /** The hash of these bytes, one after another. */
  public static byte[] of(byte[]... parts) {
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

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  /** A hash as the contract writes digests, {@code sha256:<hex>}. */
  public static String digest(byte[] hash) {
    return "sha256:" + HexFormat.of().formatHex(hash);
  }
}

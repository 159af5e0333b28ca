package dev.agwp.server.access;

import dev.agwp.attestation.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the holder of a token has: {@code agwp_<id>_<secret>}. The prefix lets scanners find one that was left lying about.
 *
 * @param id names the token, and is no secret
 * @param text the whole of it
 */
record TokenText(String id, String text) {
  static final String PREFIX = "agwp_";

  private static final int ID_BYTES = 8;
  private static final int SECRET_BYTES = 32;
  private static final Pattern FORM = Pattern.compile(PREFIX + "([0-9a-f]{16})_[A-Za-z0-9_-]{43}");
  private static final SecureRandom RANDOM = new SecureRandom();

  static TokenText random() {
    String id = HexFormat.of().formatHex(bytes(ID_BYTES));
    return new TokenText(id, PREFIX + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(SECRET_BYTES)));
  }

  /** Null for what is not of the form. */
  static TokenText parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches() ? new TokenText(form.group(1), text) : null;
  }

  /** With 256 random bits in it, nothing slower than SHA-256 is needed to keep the secret from whoever reads the database. */
  String hash() {
    return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Never the secret. */
  @Override
  public String toString() {
    return PREFIX + id;
  }
}

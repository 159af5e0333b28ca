package dev.agwp.attestation;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files of keys as openssl writes them. */
final class Pem {
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private Pem() {}

  static String text(String name, byte[] content) {
    return "-----BEGIN " + name + "-----\n" + LINES.encodeToString(content) + "\n-----END " + name + "-----\n";
  }

  /**
   * The bytes of the one block of this name.
   *
   * @throws IllegalArgumentException when there is none, or more than one
   */
  static byte[] block(String name, String pem) {
    Matcher found = Pattern.compile("-----BEGIN " + name + "-----\\s+([A-Za-z0-9+/=\\s]+)-----END " + name + "-----").matcher(pem);
    if (!found.find()) {
      throw new IllegalArgumentException("not a PEM file with a block BEGIN " + name);
    }
    String base64 = found.group(1).replaceAll("\\s", "");
    if (found.find()) {
      throw new IllegalArgumentException("more than one block BEGIN " + name + "; give a file for each key");
    }
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException notBase64) {
      throw new IllegalArgumentException("the block BEGIN " + name + " is not base64");
    }
  }
}

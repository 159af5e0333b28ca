package dev.agwp.spec.audit;

import dev.agwp.attestation.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Ed25519 key that signs checkpoints, or the public half that checks them, as signed notes of C2SP have it. */
public final class CheckpointKey {
  private static final String ALGORITHM = "Ed25519";
  private static final Pattern PEM = Pattern.compile("-----BEGIN (PRIVATE|PUBLIC) KEY-----([A-Za-z0-9+/=\\s]+)-----END \\1 KEY-----\\s*");
  private static final int RAW_KEY_BYTES = 32;
  private static final int KEY_ID_BYTES = 4;
  private static final byte[] SIGNED_WITH_ED25519 = {'\n', 1};
  private static final String SIGNATURE_LINE = "\u2014 ";

  /** Null for a key that only checks. */
  private final PrivateKey privateKey;
  private final PublicKey publicKey;

  private CheckpointKey(PrivateKey privateKey, PublicKey publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /**
   * A key that signs.
   *
   * @param pem PKCS#8, as {@code openssl genpkey -algorithm ed25519} writes it
   * @throws IllegalArgumentException when it is none, with what to give
   */
  public static CheckpointKey ofPrivate(String pem) {
    try {
      PrivateKey key = KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(der(pem, "PRIVATE")));
      CheckpointKey both = new CheckpointKey(key, publicOf((EdECPrivateKey) key));
      if (!both.hasSigned(both.sign(Checkpoint.of("probe", 0, Chain.empty())))) {
        throw new IllegalStateException("this Java does not give the public half of an Ed25519 key");
      }
      return both;
    } catch (GeneralSecurityException noKey) {
      throw new IllegalArgumentException("it is no private Ed25519 key; make one with: openssl genpkey -algorithm ed25519", noKey);
    }
  }

  /**
   * A key that checks.
   *
   * @param pem as {@code openssl pkey -pubout} writes it
   * @throws IllegalArgumentException when it is none, with what to give
   */
  public static CheckpointKey ofPublic(String pem) {
    try {
      return new CheckpointKey(null, KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(der(pem, "PUBLIC"))));
    } catch (GeneralSecurityException noKey) {
      throw new IllegalArgumentException("it is no public Ed25519 key; get it from the private one with: openssl pkey -pubout", noKey);
    }
  }

  private static byte[] der(String pem, String half) {
    Matcher block = PEM.matcher(pem);
    if (!block.matches() || !block.group(1).equals(half)) {
      throw new IllegalArgumentException("it is no PEM file with one " + half + " KEY");
    }
    return Base64.getMimeDecoder().decode(block.group(2));
  }

  // Java computes the public half only while it makes a pair, so it makes one whose random bytes are those of the private key.
  private static PublicKey publicOf(EdECPrivateKey key) throws GeneralSecurityException {
    byte[] seed = key.getBytes().orElseThrow(() -> new InvalidKeyException("the key has no bytes"));
    KeyPairGenerator pairs = KeyPairGenerator.getInstance(ALGORITHM);
    pairs.initialize(NamedParameterSpec.ED25519, new SecureRandom() {
      @Override
      public void nextBytes(byte[] bytes) {
        System.arraycopy(seed, 0, bytes, 0, bytes.length);
      }
    });
    return pairs.generateKeyPair().getPublic();
  }

  /** The checkpoint as a signed note. */
  public String sign(Checkpoint checkpoint) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(privateKey);
      signature.update(checkpoint.signedBytes());
      byte[] signed = signature.sign();
      byte[] line = ByteBuffer.allocate(KEY_ID_BYTES + signed.length).put(id(checkpoint.origin())).put(signed).array();
      return checkpoint.text() + "\n" + SIGNATURE_LINE + checkpoint.origin() + " " + Base64.getEncoder().encodeToString(line) + "\n";
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Whether one of the note's signatures is of this key.
   *
   * @throws IllegalArgumentException when the text is no checkpoint
   */
  public boolean hasSigned(String note) {
    Checkpoint checkpoint = Checkpoint.parse(note);
    String begin = SIGNATURE_LINE + checkpoint.origin() + " ";
    return note.lines().filter(line -> line.startsWith(begin))
        .anyMatch(line -> isSignature(checkpoint, Base64.getDecoder().decode(line.substring(begin.length()))));
  }

  private boolean isSignature(Checkpoint checkpoint, byte[] line) {
    if (line.length <= KEY_ID_BYTES || !Arrays.equals(Arrays.copyOf(line, KEY_ID_BYTES), id(checkpoint.origin()))) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initVerify(publicKey);
      signature.update(checkpoint.signedBytes());
      return signature.verify(line, KEY_ID_BYTES, line.length - KEY_ID_BYTES);
    } catch (SignatureException ofNoSuchLength) {
      return false;
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private byte[] id(String name) {
    byte[] encoded = publicKey.getEncoded();
    byte[] raw = Arrays.copyOfRange(encoded, encoded.length - RAW_KEY_BYTES, encoded.length);
    return Arrays.copyOf(Sha256.hash(name.getBytes(StandardCharsets.UTF_8), SIGNED_WITH_ED25519, raw), KEY_ID_BYTES);
  }
}

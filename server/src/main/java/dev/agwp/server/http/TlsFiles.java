package dev.agwp.server.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.glassfish.grizzly.ssl.SSLEngineConfigurator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate this server shows and the authority whose certificates it takes from clients, in PEM files. They are read again when
 * they change; what cannot be used is logged, and what was used before goes on.
 */
public final class TlsFiles extends SSLEngineConfigurator implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
  private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final char[] NO_PASSWORD = {};

  private final Options options;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "agwp-tls-files");
    thread.setDaemon(true);
    return thread;
  });
  // Only the thread of the clock reads and writes it, after the constructor.
  private List<byte[]> seen;
  private volatile SSLContext current;

  /**
   * Where they are.
   *
   * @param certificate of the server, followed by those of its authorities
   * @param key of the certificate, as PKCS#8; RSA or EC
   * @param clientCa authorities of clients; null to ask clients for no certificate
   * @param looksEvery how soon a change of the files is seen
   */
  public record Options(Path certificate, Path key, Path clientCa, Duration looksEvery) {}

  private TlsFiles(Options options) throws IOException {
    this.options = options;
    seen = contents();
    current = context(seen);
    long everyMs = options.looksEvery().toMillis();
    clock.scheduleWithFixedDelay(this::lookAgain, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  /** @throws IOException when a file cannot be read or used; the message says which and why */
  static TlsFiles open(Options options) throws IOException {
    return new TlsFiles(options);
  }

  @Override
  public SSLEngine createSSLEngine() {
    SSLEngine engine = current.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setEnabledProtocols(PROTOCOLS);
    // Wanted and not needed: a token is a credential as well, and who shows neither is refused with an answer.
    engine.setWantClientAuth(options.clientCa() != null);
    return engine;
  }

  @Override
  public SSLEngine createSSLEngine(String peerHost, int peerPort) {
    return createSSLEngine();
  }

  /** Grizzly copies its configuration; a copy would go on with the files of now. */
  @Override
  public SSLEngineConfigurator copy() {
    return this;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }

  private void lookAgain() {
    try {
      List<byte[]> now = contents();
      if (Arrays.deepEquals(now.toArray(), seen.toArray())) {
        return;
      }
      // Once for each content, good or not: a pair is written as two files, and is whole with the second.
      seen = now;
      current = context(now);
      LOG.info("the TLS files have changed and are used from now on: {}", options.certificate());
    } catch (IOException unusable) {
      LOG.warn("the TLS files have changed and cannot be used, those of before still are: {}", unusable.getMessage());
    }
  }

  private List<byte[]> contents() throws IOException {
    return List.of(read(options.certificate()), read(options.key()), options.clientCa() == null ? new byte[0] : read(options.clientCa()));
  }

  private static byte[] read(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException missing) {
      throw new IOException("there is no file " + file, missing);
    }
  }

  private SSLContext context(List<byte[]> contents) throws IOException {
    Certificate[] chain = certificates(options.certificate(), contents.get(0));
    PrivateKey key = key(contents.get(1), chain[0]);
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers(key, chain), options.clientCa() == null ? null : trustManagers(contents.get(2)), null);
      return context;
    } catch (GeneralSecurityException unusable) {
      throw new IOException("TLS with " + options.certificate() + ": " + unusable.getMessage(), unusable);
    }
  }

  private static KeyManager[] keyManagers(PrivateKey key, Certificate[] chain) throws GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    store.setKeyEntry("server", key, NO_PASSWORD, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, NO_PASSWORD);
    return keys.getKeyManagers();
  }

  private TrustManager[] trustManagers(byte[] pem) throws GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    for (Certificate authority : certificates(options.clientCa(), pem)) {
      store.setCertificateEntry("client-ca-" + store.size(), authority);
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return trust.getTrustManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Certificate[] certificates(Path file, byte[] pem) throws IOException {
    try {
      Certificate[] all = CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(pem)).toArray(Certificate[]::new);
      if (all.length == 0) {
        throw new IOException(file + " holds no certificate; it must hold PEM, BEGIN CERTIFICATE");
      }
      return all;
    } catch (GeneralSecurityException malformed) {
      throw new IOException(file + " does not hold certificates as PEM: " + malformed.getMessage(), malformed);
    }
  }

  private PrivateKey key(byte[] pem, Certificate certificate) throws IOException {
    String algorithm = certificate.getPublicKey().getAlgorithm();
    Matcher block = KEY.matcher(new String(pem, StandardCharsets.ISO_8859_1));
    if (!block.find()) {
      throw new IOException(options.key() + " holds no key as PKCS#8 PEM, BEGIN PRIVATE KEY, without a password; "
          + "openssl pkcs8 -topk8 -nocrypt makes one of other keys");
    }
    try {
      PrivateKey key = KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(block.group(1))));
      if (isOf(key, certificate, algorithm)) {
        return key;
      }
    } catch (GeneralSecurityException | IllegalArgumentException malformed) {
      throw new IOException(options.key() + " is not the " + algorithm + " key that " + options.certificate() + " needs: "
          + malformed.getMessage(), malformed);
    }
    throw new IOException("the key in " + options.key() + " does not belong to the certificate in " + options.certificate()
        + " (" + ((X509Certificate) certificate).getSubjectX500Principal() + ")");
  }

  private static boolean isOf(PrivateKey key, Certificate certificate, String algorithm) throws GeneralSecurityException {
    byte[] anything = {1};
    Signature signature = Signature.getInstance("SHA256with" + (algorithm.equals("EC") ? "ECDSA" : algorithm));
    signature.initSign(key);
    signature.update(anything);
    byte[] signed = signature.sign();
    signature.initVerify(certificate);
    signature.update(anything);
    return signature.verify(signed);
  }
}

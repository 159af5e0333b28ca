package dev.agwp.server.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates made by the JDK's keytool, for one test: an authority and what it signs. */
public final class Certificates {
  private static final String PASSWORD = "secret";
  private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private final Path store;

  /** An authority of its own in this folder, which must not hold another. */
  public Certificates(Path folder) {
    store = folder.resolve("keys.p12");
    keytool("-alias", "ca", "-keyalg", "EC", "-dname", "CN=Test Authority", "-ext", "bc:c");
  }

  /** Makes a key and a certificate for it. The algorithm is RSA or EC; the alternative names as keytool writes them, for example dns:a. */
  public void sign(String alias, String algorithm, String name, String... alternatives) {
    List<String> command = new ArrayList<>(List.of("-alias", alias, "-keyalg", algorithm, "-dname", name, "-signer", "ca"));
    if (alternatives.length > 0) {
      command.addAll(List.of("-ext", "san=" + String.join(",", alternatives)));
    }
    keytool(command.toArray(String[]::new));
  }

  public void writeChain(String alias, Path file) {
    try {
      StringBuilder pem = new StringBuilder();
      for (Certificate certificate : store().getCertificateChain(alias)) {
        pem.append(pem("CERTIFICATE", certificate.getEncoded()));
      }
      write(file, pem.toString());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public void writeKey(String alias, Path file) {
    write(file, pem("PRIVATE KEY", key(alias).getEncoded()));
  }

  /** What a client needs that trusts this authority and shows the certificate of the alias; null for none. */
  public SSLContext client(String alias) {
    return client(alias, this);
  }

  /** The same for a client that trusts another authority than its own. */
  public SSLContext client(String alias, Certificates server) {
    try {
      KeyStore trusted = empty();
      trusted.setCertificateEntry("ca", server.store().getCertificate("ca"));
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      KeyStore own = empty();
      if (alias != null) {
        own.setKeyEntry("own", key(alias), PASSWORD.toCharArray(), store().getCertificateChain(alias));
      }
      KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private Key key(String alias) {
    try {
      return store().getKey(alias, PASSWORD.toCharArray());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private KeyStore store() {
    try (InputStream file = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(file, PASSWORD.toCharArray());
      return keys;
    } catch (GeneralSecurityException | IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    return keys;
  }

  private static String pem(String kind, byte[] content) {
    return "-----BEGIN " + kind + "-----\n" + BASE64.encodeToString(content) + "\n-----END " + kind + "-----\n";
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private void keytool(String... options) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair", "-keystore", store.toString(), "-storepass", PASSWORD, "-validity", "2"));
    command.addAll(List.of(options));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes());
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + ": " + output);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}

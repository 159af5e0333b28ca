package dev.agwp.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust in the authorities of a file, and in no others. */
final class Trust {
  private Trust() {}

  static SSLContext in(Path pem) {
    try (InputStream file = Files.newInputStream(pem)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
        store.setCertificateEntry("authority-" + store.size(), authority);
      }
      if (store.size() == 0) {
        throw new IllegalArgumentException(pem + " holds no certificate; it must hold PEM, BEGIN CERTIFICATE");
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (NoSuchFileException missing) {
      throw new IllegalArgumentException("cannot read certificates from " + pem + ": there is no such file", missing);
    } catch (IOException | GeneralSecurityException unusable) {
      throw new IllegalArgumentException("cannot read certificates from " + pem + ": " + unusable.getMessage(), unusable);
    }
  }
}

package dev.agwp.server.http;

import dev.agwp.server.http.OpenConnection.What;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.glassfish.grizzly.Connection;
import org.glassfish.grizzly.ssl.SSLBaseFilter.HandshakeListener;
import org.glassfish.grizzly.ssl.SSLUtils;

/** Gives a TLS handshake the time of a head, and learns from it who the client is. */
final class Handshakes implements HandshakeListener {
  private final Limits limits;

  Handshakes(Limits limits) {
    this.limits = limits;
  }

  @Override
  public void onStart(Connection<?> connection) {
    OpenConnection.of(connection).owes(What.HEAD, limits.head());
  }

  @Override
  public void onComplete(Connection<?> connection) {
    OpenConnection client = OpenConnection.of(connection);
    client.pays();
    X509Certificate certificate = certificate(SSLUtils.getSSLEngine(connection).getSession());
    if (certificate == null) {
      return;
    }
    String principal = ClientCertificate.principal(certificate);
    if (principal == null) {
      connection.terminateSilently();
    } else {
      client.isOf(principal);
    }
  }

  /** Null when the client sent none; the handshake has failed with one that cannot be verified. */
  private static X509Certificate certificate(SSLSession session) {
    try {
      return (X509Certificate) session.getPeerCertificates()[0];
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }

  @Override
  public void onFailure(Connection<?> connection, Throwable failure) {
    // Grizzly closes the connection.
  }
}

package dev.agwp.server.http;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whom a verified client certificate names: its first URI, else its first DNS name, else its common name. */
public final class ClientCertificate {
  /** The request's property with the principal, absent where the client has shown no certificate. */
  public static final String PRINCIPAL = "agwp.clientPrincipal";

  private static final Logger LOG = LoggerFactory.getLogger(ClientCertificate.class);
  // No bar, which stands between principal and worker in claimed_by.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}");
  // RFC 5280, 4.2.1.6: the choices of GeneralName.
  private static final int DNS_NAME = 2;
  private static final int URI_NAME = 6;

  private ClientCertificate() {}

  /** Null when it has none of them, or one that cannot be a principal. */
  static String principal(X509Certificate certificate) {
    String name = Stream.of(alternative(certificate, URI_NAME), alternative(certificate, DNS_NAME), commonName(certificate))
        .flatMap(Optional::stream).findFirst().orElse("");
    if (NAME.matcher(name).matches()) {
      return name;
    }
    LOG.warn("the client certificate with the serial number {} names no principal: its URI, DNS name or common name must be 1..128 "
        + "characters of A-Z a-z 0-9 . _ : / @ -", certificate.getSerialNumber().toString(16));
    return null;
  }

  private static Optional<String> alternative(X509Certificate certificate, int kind) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null ? Optional.empty()
          : names.stream().filter(name -> Objects.equals(name.get(0), kind)).map(name -> (String) name.get(1)).findFirst();
    } catch (CertificateParsingException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<String> commonName(X509Certificate certificate) {
    try {
      return new LdapName(certificate.getSubjectX500Principal().getName()).getRdns().stream()
          .filter(part -> part.getType().equalsIgnoreCase("CN")).map(part -> String.valueOf(part.getValue())).findFirst();
    } catch (InvalidNameException malformed) {
      return Optional.empty();
    }
  }
}

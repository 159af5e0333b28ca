package dev.agwp.server.access;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.text.ParseException;

/** An issuer's JWK set in a file of this machine. */
final class KeysInFile implements JWKSetSource<SecurityContext> {
  private final Path file;

  private KeysInFile(Path file) {
    this.file = file;
  }

  /** @throws BadAccessOptions when there is no such file, or it is no JWK set */
  static KeysInFile readable(String name) {
    try {
      KeysInFile keys = new KeysInFile(Path.of(name));
      keys.read();
      return keys;
    } catch (InvalidPathException | IOException | ParseException unreadable) {
      throw new BadAccessOptions("--jwt-jwks " + name + " is no file with a JWK set, and no https URL: " + unreadable.getMessage());
    }
  }

  private JWKSet read() throws IOException, ParseException {
    return JWKSet.parse(Files.readString(file));
  }

  @Override
  public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long currentTime, SecurityContext context) throws KeySourceException {
    try {
      return read();
    } catch (IOException | ParseException unreadable) {
      throw new JWKSetUnavailableException(file + ": " + unreadable.getMessage(), unreadable);
    }
  }

  @Override
  public void close() {}
}

package dev.agwp.sdk.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority that no system knows and what it signed for 127.0.0.1, as the PEM files that a server and its clients are given.
 *
 * @param ca for clients
 * @param certificate for the server, with its key
 */
public record PrivateAuthority(Path ca, Path certificate, Path key) {
  private static final String PASSWORD = "secret";
  private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

  public static PrivateAuthority in(Path folder) {
    Path store = folder.resolve("authority.p12");
    keytool(store, "-alias", "ca", "-dname", "CN=Test Authority", "-ext", "bc:c", "-ext", "ku:c=keyCertSign");
    keytool(store, "-alias", "server", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-signer", "ca");
    try (InputStream file = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(file, PASSWORD.toCharArray());
      return new PrivateAuthority(
          pem(folder.resolve("ca.pem"), "CERTIFICATE", keys.getCertificate("ca").getEncoded()),
          pem(folder.resolve("server.pem"), "CERTIFICATE", keys.getCertificate("server").getEncoded()),
          pem(folder.resolve("server.key"), "PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Path pem(Path file, String kind, byte[] content) throws IOException {
    return Files.writeString(file, "-----BEGIN " + kind + "-----\n" + BASE64.encodeToString(content) + "\n-----END " + kind + "-----\n");
  }

  private static void keytool(Path store, String... options) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair", "-keyalg", "EC", "-keystore", store.toString(), "-storepass", PASSWORD, "-validity", "2"));
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

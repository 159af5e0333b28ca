package dev.agwp.sdks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Makes the installable packages of all languages, in {@code target/dist}. */
public final class PackageSdks {
  private PackageSdks() {}

  /** @param args the folder of this module, the version */
  public static void main(String[] args) throws IOException {
    Path module = Path.of(args[0]);
    Files.createDirectories(module.resolve("target/dist"));
    // At once: they mostly wait for registries.
    SdkFolder.all(module).parallelStream().forEach(sdk -> {
      String tool = sdk.properties().getProperty("tool");
      if (sdk.hasTool()) {
        make(sdk, args[1]);
      } else if (System.getenv("CI") == null) {
        System.out.println("The SDK for " + sdk.language() + " and its tests are skipped: " + tool + " is not on the PATH.");
      } else {
        throw new IllegalStateException(tool + " is not on the PATH, and in CI the SDK for " + sdk.language() + " is built: install it");
      }
    });
  }

  private static void make(SdkFolder sdk, String version) {
    sdk.putTogether(version);
    SdkFolder.Finished finished = sdk.run("package", Map.of());
    if (finished.status() != 0) {
      throw new IllegalStateException("the SDK for " + sdk.language() + " cannot be packaged:\n" + finished.output());
    }
  }
}

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
      if (sdk.toolchain().isThereFor("the SDK for " + sdk.language() + " and its tests")) {
        make(sdk, args[1]);
      }
    });
  }

  private static void make(SdkFolder sdk, String version) {
    sdk.putTogether(version);
    Toolchain.Finished finished = sdk.toolchain().run("package", Map.of());
    if (finished.status() != 0) {
      throw new IllegalStateException("the SDK for " + sdk.language() + " cannot be packaged:\n" + finished.output());
    }
  }
}

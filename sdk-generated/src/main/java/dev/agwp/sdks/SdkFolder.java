package dev.agwp.sdks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The SDK of one language: a folder with {@code generator.yaml}, {@code package/} and {@code sdk.properties}. The generator has written to
 * {@code target/<language>} before; what is written by hand is laid over that.
 *
 * @param language the name of the folder
 * @param folder what is committed
 * @param target where the package is put together
 */
public record SdkFolder(String language, Path folder, Path target, Toolchain toolchain) {
  private static final String VERSION = "@VERSION@";
  private static final String PROTO = "/dev/agwp/spec/agwp.proto";

  /** @param module the folder of this module */
  public static List<SdkFolder> all(Path module) {
    try (Stream<Path> folders = Files.list(module)) {
      return folders.filter(folder -> Files.exists(folder.resolve("sdk.properties"))).sorted().map(folder -> of(module, folder)).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static SdkFolder of(Path module, Path folder) {
    String language = folder.getFileName().toString();
    Path target = module.resolve("target").resolve(language);
    return new SdkFolder(language, folder, target,
        Toolchain.of(folder.resolve("sdk.properties"), target, List.of("package", "test", "proto", "artifact")));
  }

  /** Lays the hand-written part over the generated one, with the version, the {@code .proto} and the licence of this release. */
  void putTogether(String version) {
    Path source = folder.resolve("package");
    try (Stream<Path> files = Files.walk(source); InputStream proto = SdkFolder.class.getResourceAsStream(PROTO)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.writeString(copyOf(source.relativize(file).toString()), Files.readString(file).replace(VERSION, version));
      }
      Files.write(copyOf(toolchain.properties().getProperty("proto")), proto.readAllBytes());
      Files.copy(folder.resolve("../../LICENSE"), copyOf("LICENSE"), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private Path copyOf(String name) throws IOException {
    Path copy = target.resolve(name);
    Files.createDirectories(copy.getParent());
    return copy;
  }
}

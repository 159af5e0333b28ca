package dev.agwp.compat;

import com.google.protobuf.Message;
import dev.agwp.sdks.Toolchain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What one language's generators make of every release, and a driver for it: {@code wire/<language>} here, put together and built in
 * {@code target/wire/<language>} with a folder for each release.
 */
record WireFolder(String language, Path module, Toolchain toolchain) {
  static final List<String> RELEASES = List.of("1.0.0", "1.1.0", "current");

  static List<WireFolder> all(Path module) {
    try (Stream<Path> folders = Files.list(module.resolve("wire"))) {
      return folders.sorted().map(folder -> {
        String language = folder.getFileName().toString();
        return new WireFolder(language, module,
            Toolchain.of(folder.resolve("wire.properties"), module.resolve("target/wire").resolve(language), List.of("build")));
      }).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The languages there are clients of every release for on this machine. */
  static List<WireFolder> built() {
    return all(Path.of("").toAbsolutePath()).stream().filter(folder -> folder.toolchain().isInstalled()).toList();
  }

  /** Built once from the same files. */
  void build() {
    Map<String, Path> files = parts();
    Path target = toolchain.target();
    Path builtFrom = target.resolve("built-from");
    try {
      String digest = digest(files);
      if (Files.exists(builtFrom) && Files.readString(builtFrom).equals(digest)) {
        return;
      }
      clear(target);
      for (Map.Entry<String, Path> part : files.entrySet()) {
        Path copy = target.resolve(part.getKey());
        Files.createDirectories(copy.getParent());
        Files.copy(part.getValue(), copy);
      }
      Toolchain.Finished built = toolchain.run("build", environment());
      if (built.status() != 0) {
        throw new IllegalStateException("the clients of every release do not build in " + language + ":\n" + built.output());
      }
      Files.writeString(builtFrom, digest);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** The driver of a release, to be started. */
  ProcessBuilder driver(String release) {
    Map<String, String> environment = environment();
    environment.put("RELEASE", release);
    return toolchain.command("drive", environment);
  }

  Path of(String release) {
    return toolchain.target().resolve(release);
  }

  static Path protobufJar() {
    try {
      return Path.of(Message.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  private Path sdk() {
    return module.resolveSibling("sdk-generated");
  }

  private Map<String, String> environment() {
    return new HashMap<>(Map.of(
        "SDK", sdk().resolve("target").resolve(language).toString(),
        "PROTOC", protoc().toString(),
        "INCLUDE", module.resolve("target/wire-include").toString(),
        "PROTOBUF_JAR", protobufJar().toString(),
        "JAVA_HOME", System.getProperty("java.home")));
  }

  private Path protoc() {
    return module.resolveSibling("spec/target/protoc.exe");
  }

  /** What is put together, by its name in the target folder. */
  private Map<String, Path> parts() {
    Map<String, Path> parts = new TreeMap<>();
    add(parts, "", module.resolve("wire").resolve(language), name -> true);
    Predicate<String> generated = Pattern.compile(toolchain.properties().getProperty("generated", "")).asMatchPredicate();
    Predicate<String> sdks = Pattern.compile(toolchain.properties().getProperty("sdk", "")).asMatchPredicate();
    Path spec = module.resolveSibling("spec");
    for (String release : RELEASES) {
      boolean today = release.equals("current");
      add(parts, release, today ? sdk().resolve("target").resolve(language)
          : module.resolve("target/generated-clients").resolve(language).resolve(release), generated);
      add(parts, release, sdk().resolve(language).resolve("package"), sdks);
      parts.put(release + "/agwp.proto", (today ? spec.resolve("target/classes/dev/agwp/spec") : spec.resolve("released").resolve(release))
          .resolve("agwp.proto"));
    }
    return parts;
  }

  private static void add(Map<String, Path> parts, String under, Path from, Predicate<String> which) {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> files = Files.walk(from)) {
      files.filter(Files::isRegularFile).filter(file -> which.test(from.relativize(file).toString()))
          .forEach(file -> parts.put(Path.of(under).resolve(from.relativize(file)).toString(), file));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private String digest(Map<String, Path> parts) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(Files.readAllBytes(protoc()));
      for (Map.Entry<String, Path> part : parts.entrySet()) {
        digest.update(part.getKey().getBytes(StandardCharsets.UTF_8));
        digest.update(Files.readAllBytes(part.getValue()));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void clear(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

package dev.agwp.sdks;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The SDK of one language: a folder with {@code generator.yaml}, {@code package/} and {@code sdk.properties}. The generator has written to
 * {@code target/<language>} before; what is written by hand is laid over that.
 *
 * @param language the name of the folder
 * @param folder what is committed
 * @param target where the package is put together
 */
public record SdkFolder(String language, Path folder, Path target, Properties properties) {
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
    Properties properties = new Properties();
    try (Reader file = Files.newBufferedReader(folder.resolve("sdk.properties"))) {
      properties.load(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    String language = folder.getFileName().toString();
    for (String name : List.of("tool", "package", "test", "proto", "artifact")) {
      if (properties.getProperty(name, "").isBlank()) {
        throw new IllegalArgumentException(folder + "/sdk.properties must say " + name + "=");
      }
    }
    return new SdkFolder(language, folder, module.resolve("target").resolve(language), properties);
  }

  /** Whether the program this SDK is built with is installed. */
  public boolean hasTool() {
    String tool = properties.getProperty("tool");
    return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> new File(path, tool).canExecute());
  }

  /** Lays the hand-written part over the generated one, with the version, the {@code .proto} and the licence of this release. */
  void putTogether(String version) {
    Path source = folder.resolve("package");
    try (Stream<Path> files = Files.walk(source); InputStream proto = SdkFolder.class.getResourceAsStream(PROTO)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.writeString(copyOf(source.relativize(file).toString()), Files.readString(file).replace(VERSION, version));
      }
      Files.write(copyOf(properties.getProperty("proto")), proto.readAllBytes());
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

  /** What a command printed, and how it ended. */
  public record Finished(int status, String output) {}

  /** Runs a command line of sdk.properties in the folder where the package is put together. */
  public Finished run(String name, Map<String, String> environment) {
    try {
      Process process = command(name, environment).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), output);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** The command line itself, for a process that goes on. */
  public ProcessBuilder command(String name, Map<String, String> environment) {
    ProcessBuilder command = new ProcessBuilder("sh", "-c", properties.getProperty(name)).directory(target.toFile());
    command.environment().putAll(environment);
    return command;
  }
}

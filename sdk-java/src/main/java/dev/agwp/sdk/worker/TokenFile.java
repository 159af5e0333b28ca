package dev.agwp.sdk.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The token in a file, read each time. While the file is missing or empty, as in the middle of being replaced, the last one goes on. */
final class TokenFile implements Supplier<String> {
  private final Path file;
  private volatile String last;

  /** @throws IllegalArgumentException when there is no token in the file now */
  TokenFile(Path file) {
    this.file = file;
    // A pipe is no regular file, and may well bring a token.
    if (Files.isDirectory(file) || !Files.isReadable(file)) {
      throw new IllegalArgumentException("--token-file: " + file + " is no file that can be read");
    }
    last = read();
    if (last.isEmpty()) {
      throw new IllegalArgumentException("--token-file: there is no token in " + file);
    }
  }

  @Override
  public String get() {
    String now = read();
    if (!now.isEmpty()) {
      last = now;
    }
    return last;
  }

  private String read() {
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      return "";
    }
  }
}

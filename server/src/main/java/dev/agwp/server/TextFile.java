package dev.agwp.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** A text file that an option names. */
final class TextFile {
  private TextFile() {}

  /**
   * What the file holds.
   *
   * @param parse throws IllegalArgumentException when the text is not what the option takes, with what is wrong
   * @throws ParameterException when the file cannot be read or parsed; names the option and the file
   */
  static <T> T read(CommandSpec command, String option, Path file, Function<String, T> parse) {
    try {
      return parse.apply(Files.readString(file));
    } catch (IOException unreadable) {
      throw new ParameterException(command.commandLine(), option + " " + file + " cannot be read", unreadable);
    } catch (IllegalArgumentException unusable) {
      throw new ParameterException(command.commandLine(), option + " " + file + ": " + unusable.getMessage(), unusable);
    }
  }
}

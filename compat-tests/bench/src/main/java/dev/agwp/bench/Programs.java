package dev.agwp.bench;

import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What of other people's is there on this machine, and in which version. */
final class Programs {
  private static final Pattern JAR = Pattern.compile(".*?([a-z-]+)-(\\d[\\w.]*)\\.jar");

  private Programs() {}

  /** @throws Contender.NotOffered when no folder of PATH holds this program */
  static void require(String program) throws Contender.NotOffered {
    String[] folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
    if (Arrays.stream(folders).noneMatch(folder -> Files.isExecutable(Path.of(folder, program)))) {
      throw new Contender.NotOffered("there is no " + program + " on this machine");
    }
  }

  /** The name and version of the jar a class comes from. */
  static String jarOf(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    Matcher jar = JAR.matcher(URI.create(source.getLocation().toString()).getPath());
    return jar.matches() ? jar.group(1) + " " + jar.group(2) : source.getLocation().toString();
  }
}

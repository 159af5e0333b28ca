package dev.agwp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A peer of another language: a program that fills its queue, works it off and says how long that took. */
final class PeerProcess implements Contender {
  private static final int RUN_SECONDS_MAX = 150;
  /** A fresh process warms up on these first; peers in this JVM do that in the round that does not count. */
  private static final int WARM_UP_JOBS = 500;
  private static final String RESULT = "RESULT ";

  private final Postgres postgres;
  private final String name;
  private final Language language;
  private final List<String> command;
  private String version = "";

  /** What the run script builds where the toolchain is there. */
  enum Language {
    NODE("Node.js", "peers/node/node_modules"),
    GO("Go", "target/river");

    private final String toolchain;
    private final Path built;

    Language(String toolchain, String built) {
      this.toolchain = toolchain;
      this.built = Path.of(built);
    }
  }

  PeerProcess(Postgres postgres, String name, Language language, List<String> command) {
    this.postgres = postgres;
    this.name = name;
    this.language = language;
    this.command = command;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public boolean keepsWarm() {
    return false;
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    if (!Files.exists(language.built)) {
      throw new NotOffered("it was not built: there is no " + language.toolchain + " on this machine, or no way to its packages");
    }
    try (Postgres.Database database = postgres.create()) {
      List<String> whole = new ArrayList<>(command);
      whole.addAll(List.of(database.url(), Integer.toString(callers), Integer.toString(WARM_UP_JOBS), Integer.toString(jobs), Agwp.PAYLOAD));
      try (ChildProcess peer = ChildProcess.start(name.replaceAll("\\W+", "-"), whole).endAfter(RUN_SECONDS_MAX)) {
        // RESULT <name and version>: <jobs> <seconds>
        String[] said = peer.lineWith(RESULT).substring(RESULT.length()).split(": ");
        version = said[0];
        String[] measured = said[1].split(" ");
        return new Result(Integer.parseInt(measured[0]), Double.parseDouble(measured[1]));
      }
    }
  }
}

package dev.agwp.compat;

import dev.agwp.compat.MatrixTest.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The matrix for people: a row a client, a column a server and token, as a page and as lines for the log. */
public final class MatrixPage {
  private static final String HEAD = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>AGWP compatibility matrix</title>
      <style>body{font:15px/1.4 sans-serif;margin:2rem}table{border-collapse:collapse;margin-bottom:2rem}
      th,td{border:1px solid #bbb;padding:.3rem .5rem}.right{background:#e6f4ea}.refused,.refuses{background:#e8eefc}.cannot{color:#777}
      .wrong{background:#f8c9c4;font-weight:bold}</style>
      <h1>AGWP compatibility matrix</h1>
      <p>A job is claimed twice under one label; its current number is 2. Each cell: what came of the client's heartbeat and completion with
      no token, with 0, with the current number and with a stale one. On a server of 1.0.0 a stale token is applied: it does not know the field.
      Last, whether a worker of today that requires fencing works with the server or refuses it.</p>
      """;
  private static final String LEGEND = """
      The compatibility matrix, one letter a token: none, zero, current, stale. a applied, r refused, c cannot be sent, ! not as expected.
      Last: whether a worker of today that requires fencing works with the server (w) or refuses it (r).
      """;
  private static final String NAME = "%-56s";

  private MatrixPage() {}

  /** Shows the lines of the last run once: a build that runs no matrix shows none. */
  public static void main(String[] args) throws IOException {
    Path lines = Path.of(args[0]);
    if (Files.exists(lines)) {
      System.out.print(Files.readString(lines));
      Files.delete(lines);
    }
  }

  /** @param tables the cells of each */
  static void write(List<List<Cell>> tables, Path page, Path lines) throws IOException {
    StringBuilder html = new StringBuilder(HEAD);
    StringBuilder text = new StringBuilder(LEGEND);
    for (List<Cell> cells : tables) {
      Map<String, Map<String, Cell>> rows = new LinkedHashMap<>();
      Set<String> servers = new LinkedHashSet<>();
      Set<String> tokens = new LinkedHashSet<>();
      cells.forEach(cell -> {
        rows.computeIfAbsent(cell.client() + ", " + cell.format(), client -> new LinkedHashMap<>())
            .put(cell.server() + " " + cell.token(), cell);
        servers.add(cell.server());
        tokens.add(cell.token());
      });
      html.append("<table>\n<tr><th rowspan=2>client");
      servers.forEach(server -> html.append("<th colspan=").append(tokens.size()).append(">server ").append(server));
      html.append("\n<tr>");
      servers.forEach(server -> tokens.forEach(token -> html.append("<th>").append(token)));
      text.append(NAME.formatted("client")).append(String.join("  ", servers)).append('\n');
      rows.forEach((client, row) -> {
        html.append("\n<tr><th>").append(client);
        row.values().forEach(cell -> html.append("<td class=\"").append(cell.isRight() ? cell.shown() : "wrong").append("\">").append(cell.shown()));
        text.append(line(client, servers, row.values())).append('\n');
      });
      html.append("\n</table>\n");
    }
    Files.writeString(page, html.append("</html>\n"));
    Files.writeString(lines, text);
  }

  private static String line(String client, Set<String> servers, Collection<Cell> cells) {
    StringBuilder line = new StringBuilder(NAME.formatted(client));
    for (String server : servers) {
      StringBuilder letters = new StringBuilder();
      cells.stream().filter(cell -> cell.server().equals(server))
          .forEach(cell -> letters.append(cell.isRight() ? cell.shown().charAt(0) : '!'));
      line.append(("%-" + (server.length() + 2) + "s").formatted(letters));
    }
    return line.toString().stripTrailing();
  }
}

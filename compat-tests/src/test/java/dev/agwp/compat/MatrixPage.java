package dev.agwp.compat;

import dev.agwp.compat.MatrixTest.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The matrix for people: a row a client, a column a server and token, as a page and as lines in the log. */
final class MatrixPage {
  private static final String HEAD = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>AGWP compatibility matrix</title>
      <style>body{font:15px/1.4 sans-serif;margin:2rem}table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.3rem .5rem}
      .applied{background:#e6f4ea}.refused{background:#e8eefc}.wrong{background:#f8c9c4;font-weight:bold}</style>
      <h1>AGWP compatibility matrix</h1>
      <p>A job is claimed twice under one label; its current number is 2. Each cell: what came of the client's heartbeat and completion with
      no token, with 0, with the current number and with a stale one. On a server of 1.0.0 a stale token is applied: it does not know the field.</p>
      """;

  private MatrixPage() {}

  static void write(List<Cell> cells, List<String> tokens, Path file) throws IOException {
    Map<String, Map<String, Cell>> rows = new LinkedHashMap<>();
    TreeSet<String> servers = new TreeSet<>();
    for (Cell cell : cells) {
      rows.computeIfAbsent(cell.client() + ", " + cell.format(), client -> new LinkedHashMap<>())
          .put(cell.server() + " " + cell.token(), cell);
      servers.add(cell.server());
    }
    StringBuilder page = new StringBuilder(HEAD).append("<table>\n<tr><th rowspan=2>client");
    servers.forEach(server -> page.append("<th colspan=").append(tokens.size()).append(">server ").append(server));
    page.append("\n<tr>");
    servers.forEach(server -> tokens.forEach(token -> page.append("<th>").append(token)));
    rows.forEach((client, row) -> {
      page.append("\n<tr><th>").append(client);
      StringBuilder line = new StringBuilder(String.format("%-32s", client));
      servers.forEach(server -> tokens.forEach(token -> {
        Cell cell = row.get(server + " " + token);
        page.append(cell == null ? "<td>" : "<td class=\"" + (cell.isRight() ? cell.shown() : "wrong") + "\">" + cell.shown());
        line.append(cell == null ? " -" : cell.isRight() ? " " + cell.shown().charAt(0) : " WRONG(" + server + " " + token + ": " + cell.shown() + ")");
      }));
      System.out.println(line);
    });
    Files.writeString(file, page.append("\n</table>\n</html>\n"));
  }
}

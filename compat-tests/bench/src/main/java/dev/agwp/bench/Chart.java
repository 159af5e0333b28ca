package dev.agwp.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bars, the fastest first, with a line from the slowest to the fastest round. Readable on a light and on a dark page. */
final class Chart {
  private static final int LABELS = 400;
  private static final int BARS = 400;
  private static final int VALUES = 90;
  private static final int ROW = 24;
  private static final int TOP = 30;
  private static final String STYLE = """
      <style>
        text { font: 13px system-ui, sans-serif; fill: #1f2328 }
        .ours { fill: #1a7f37 } .theirs { fill: #8c959f } .spread { stroke: #1f2328; stroke-width: 1.5 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .ours { fill: #3fb950 } .theirs { fill: #6e7681 } .spread { stroke: #e6edf3 }
        }
      </style>
      """;

  private Chart() {}

  static String of(Map<Row, Spread> throughput) {
    List<Map.Entry<Row, Spread>> fastestFirst = new ArrayList<>(throughput.entrySet());
    fastestFirst.sort(Comparator.comparingDouble((Map.Entry<Row, Spread> entry) -> entry.getValue().median()).reversed());
    double most = throughput.values().stream().mapToDouble(Spread::max).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    svg.append(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">%n",
        LABELS + BARS + VALUES, TOP + ROW * fastestFirst.size() + ROW / 2));
    svg.append("<title>Jobs claimed and ended per second</title>\n").append(STYLE);
    svg.append("<text x=\"8\" y=\"18\">Jobs claimed and ended per second: median, and the slowest to the fastest round</text>\n");
    int y = TOP;
    for (Map.Entry<Row, Spread> entry : fastestFirst) {
      svg.append(bar(entry.getKey(), entry.getValue(), y, BARS / most));
      y += ROW;
    }
    return svg.append("</svg>\n").toString();
  }

  private static String bar(Row row, Spread spread, int y, double scale) {
    return String.format(Locale.ROOT, """
        <text x="%d" y="%d" text-anchor="end">%s, %d callers</text>
        <rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>
        <line class="spread" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>
        <text x="%.1f" y="%d">%s</text>
        """,
        LABELS - 8, y + 16, row.contender().name(), row.callers(),
        row.ours() ? "ours" : "theirs", LABELS, y + 3, spread.median() * scale, ROW - 6,
        LABELS + spread.min() * scale, LABELS + spread.max() * scale, y + ROW / 2, y + ROW / 2,
        LABELS + spread.max() * scale + 6, y + 16, Spread.shown(spread.median()));
  }
}

package dev.agwp.server.http;

import java.util.List;

/**
 * Which rows make a page of a list: those between two numbers, of which the list has the larger first.
 *
 * @param nextToken null on the last page
 */
public record Page(long newest, long oldest, String nextToken) {
  /** Of what its rows hold together: no more than is answered without taking much memory. */
  private static final long BYTES_MAX = 8 * 1024 * 1024;
  /** Rows are numbered from 1. */
  private static final Page EMPTY = new Page(0, 0, null);

  /** A row that may be on the page. */
  public record Row(long seq, long bytes) {}

  /**
   * As many of the first rows as fit, and at least one.
   *
   * @param list what the page token begins with, so that no other list takes it
   * @param found one more than {@code rowsMax}, where there are so many: it tells whether there is a next page
   */
  public static Page of(String list, List<Row> found, int rowsMax) {
    if (found.isEmpty()) {
      return EMPTY;
    }
    long bytes = found.get(0).bytes();
    int fit = 1;
    while (fit < Math.min(rowsMax, found.size()) && bytes + found.get(fit).bytes() <= BYTES_MAX) {
      bytes += found.get(fit).bytes();
      fit++;
    }
    long oldest = found.get(fit - 1).seq();
    return new Page(found.get(0).seq(), oldest, fit == found.size() ? null : PageToken.of(list + oldest));
  }
}

package dev.agwp.server.lease;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some of the paths that overlap one of a request: by their bytes, those from {@code fromPath} on and before {@code beforePath}. Together
 * they are the path itself, each folder it is in, and all that is in it where it is a folder; each can be looked up in an index.
 *
 * @param place where the path stands in the request
 */
record PathRange(int place, String fromPath, String beforePath) {
  /** Follows a slash: whatever is in the folder {@code a/} comes before {@code a0}. */
  private static final char AFTER_SLASH = '0';
  /** No path holds a control character, so nothing comes between a path and that path with this behind it. */
  private static final char FIRST = '\u0001';
  private static final int BYTES_BESIDE_TEXT = 64;

  /** About what it takes in memory, in bytes. */
  int bytes() {
    return fromPath.length() + beforePath.length() + BYTES_BESIDE_TEXT;
  }

  static List<PathRange> overlapping(int place, String path) {
    List<PathRange> ranges = new ArrayList<>();
    for (String name : RepoPath.andFoldersAbove(path)) {
      boolean within = name.equals(path) && RepoPath.isFolder(path);
      ranges.add(new PathRange(place, name, within ? name.substring(0, name.length() - 1) + AFTER_SLASH : name + FIRST));
    }
    return ranges;
  }

  /** Of all paths, each range once: the first path that overlaps it is the one to name. */
  static List<PathRange> overlapping(List<String> paths) {
    Map<List<String>, PathRange> distinct = new LinkedHashMap<>();
    for (int i = 0; i < paths.size(); i++) {
      overlapping(i, paths.get(i)).forEach(range -> distinct.putIfAbsent(List.of(range.fromPath, range.beforePath), range));
    }
    return List.copyOf(distinct.values());
  }
}

package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.agwp.server.http.ApiException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A file or, ending in a slash, a folder of a repo; the only place that knows which texts are one (ADR-0021). */
final class RepoPath {
  private static final int BYTES_MAX = 1024;
  /** Each segment is one more place to look for a lease that covers the path. */
  private static final int SEGMENTS_MAX = 64;
  /** Of a request: what its paths and the folders they are in take, each time the database is asked about them. */
  private static final int REQUEST_BYTES_MAX = 4 * 1024 * 1024;

  /** Characters of a path in a message. */
  private static final int SHOWN_MAX = 100;

  private RepoPath() {}

  /** @throws ApiException {@code invalid_argument} naming the first that is no path, that came before, or that is too much */
  static List<String> checked(List<String> paths) {
    Map<String, Integer> places = new HashMap<>();
    int bytes = 0;
    for (int i = 0; i < paths.size(); i++) {
      String fault = fault(paths.get(i));
      Integer before = places.putIfAbsent(paths.get(i), i);
      if (fault == null && before != null) {
        fault = "must name another path than paths[" + before + "]";
      }
      if (fault == null) {
        bytes += PathRange.overlapping(i, paths.get(i)).stream().mapToInt(PathRange::bytes).sum();
        fault = bytes > REQUEST_BYTES_MAX ? "is too much with the paths before it and the folders of all: more than 4 MiB; send fewer" : null;
      }
      if (fault != null) {
        throw new ApiException(INVALID_ARGUMENT, field(i) + " " + shown(paths.get(i)) + " " + fault).at(field(i));
      }
    }
    return paths;
  }

  /** The path at this place of a request, as the request names it. */
  static String field(int place) {
    return "paths[" + place + "]";
  }

  /** As a message can show it: its start, with what cannot be seen escaped as in JSON. */
  private static String shown(String path) {
    boolean isLong = path.codePointCount(0, path.length()) > SHOWN_MAX;
    String start = isLong ? path.substring(0, path.offsetByCodePoints(0, SHOWN_MAX)) : path;
    return "\"" + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(start)) + (isLong ? "..." : "") + "\"";
  }

  static boolean isFolder(String path) {
    return path.endsWith("/");
  }

  /** The path and the folders it is in, from the innermost: what could cover it. */
  static List<String> andFoldersAbove(String path) {
    List<String> names = new ArrayList<>(List.of(path));
    int end = path.length() - (isFolder(path) ? 1 : 0);
    for (int slash = path.lastIndexOf('/', end - 1); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      names.add(path.substring(0, slash + 1));
    }
    return names;
  }

  /** What the path must be; null when it is. */
  private static String fault(String path) {
    if (path.startsWith("/")) {
      return "must be relative, without a slash at its start";
    }
    if (path.indexOf('\\') >= 0 || path.chars().anyMatch(Character::isISOControl)) {
      return "must hold no backslash and no control character";
    }
    if (!Normalizer.isNormalized(path, Normalizer.Form.NFC)) {
      return "must be in Unicode's form NFC";
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
      return "must be at most " + BYTES_MAX + " bytes of UTF-8";
    }
    String[] segments = (isFolder(path) ? path.substring(0, path.length() - 1) : path).split("/", -1);
    if (segments.length > SEGMENTS_MAX) {
      return "must have at most " + SEGMENTS_MAX + " segments";
    }
    for (String segment : segments) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        return "must have no segment that is empty, '.' or '..'";
      }
    }
    return null;
  }
}

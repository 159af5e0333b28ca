package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Map;

/**
 * Refuses text that cannot be stored as it is: PostgreSQL has no U+0000, and half a surrogate pair becomes a question mark on
 * its way there, so that two different names would meet.
 */
final class SafeText {
  private SafeText() {}

  static void check(JsonNode tree) {
    String place = unsafe(tree);
    if (place != null) {
      place = place.isEmpty() ? "a key" : place;
      throw new ApiException(INVALID_ARGUMENT, place + " must not hold U+0000 or half a surrogate pair").at(place);
    }
  }

  /**
   * Where the first such text is, as the request names it, of a key its object; null when there is none. Nothing is built for
   * those that are safe.
   */
  private static String unsafe(JsonNode node) {
    if (node.isTextual()) {
      return isSafe(node.textValue()) ? null : "";
    }
    if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        String within = unsafe(node.get(i));
        if (within != null) {
          return "[" + i + "]" + FieldRules.joined(within);
        }
      }
    }
    for (Iterator<Map.Entry<String, JsonNode>> fields = node.fields(); fields.hasNext(); ) {
      Map.Entry<String, JsonNode> field = fields.next();
      if (!isSafe(field.getKey())) {
        return "";
      }
      String within = unsafe(field.getValue());
      if (within != null) {
        return field.getKey() + FieldRules.joined(within);
      }
    }
    return null;
  }

  private static boolean isSafe(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
      if (pair) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        return false;
      }
    }
    return true;
  }
}

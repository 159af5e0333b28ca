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
    check(tree, "");
  }

  private static void check(JsonNode node, String path) {
    if (node.isTextual()) {
      require(node.textValue(), path);
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        check(node.get(i), path + "[" + i + "]");
      }
    } else if (node.isObject()) {
      for (Iterator<Map.Entry<String, JsonNode>> fields = node.fields(); fields.hasNext(); ) {
        Map.Entry<String, JsonNode> field = fields.next();
        require(field.getKey(), path.isEmpty() ? "a key" : path);
        check(field.getValue(), path.isEmpty() ? field.getKey() : path + "." + field.getKey());
      }
    }
  }

  private static void require(String text, String path) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
      if (pair) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        throw new ApiException(INVALID_ARGUMENT, path + " must not hold U+0000 or half a surrogate pair").at(path);
      }
    }
  }
}

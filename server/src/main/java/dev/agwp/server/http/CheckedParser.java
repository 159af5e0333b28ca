package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Refuses, while a message is read, what neither its types nor the constraints of the generated messages see. Text that cannot be stored as
 * it is: PostgreSQL has no U+0000, and half a surrogate pair becomes a question mark on its way there, so that two different names would
 * meet. Null as an item of a list. And a list that is too long, before its items are looked at one by one.
 */
final class CheckedParser extends JsonParserDelegate {
  private final ListRules ofMessage;
  /** Of the objects and lists that the parser is in, the innermost first. */
  private final Deque<ListRules> within = new ArrayDeque<>();

  CheckedParser(JsonParser parser, ListRules ofMessage) {
    super(parser);
    this.ofMessage = ofMessage;
  }

  @Override
  public JsonToken nextToken() throws IOException {
    JsonToken token = delegate.nextToken();
    if (token != null) {
      check(token);
    }
    return token;
  }

  /** Checked where it is taken: what nobody takes is nobody's to refuse. */
  @Override
  public String getText() throws IOException {
    String text = delegate.getText();
    if (delegate.hasToken(JsonToken.VALUE_STRING) && !isSafe(text)) {
      throw unsafe(path(delegate.getParsingContext()));
    }
    return text;
  }

  private void check(JsonToken token) throws IOException {
    JsonStreamContext place = delegate.getParsingContext();
    if (token.isStructEnd()) {
      within.pop();
      return;
    }
    boolean begins = token.isStructStart();
    JsonStreamContext around = begins ? place.getParent() : place;
    if (around.inArray()) {
      checkItem(token, around);
    }
    if (begins) {
      within.push(within.isEmpty() ? ofMessage : within.peek().of(around));
    } else if (token == JsonToken.FIELD_NAME && !isSafe(delegate.currentName())) {
      throw unsafe(path(place.getParent()));
    }
  }

  private void checkItem(JsonToken token, JsonStreamContext list) {
    ListRules rules = within.peek();
    if (list.getCurrentIndex() >= rules.itemsMax()) {
      throw FieldRules.refusal(path(list.getParent()), rules.rule());
    }
    if (token == JsonToken.VALUE_NULL && rules.items() != null) {
      throw FieldRules.refusal(path(list), "must not be null");
    }
  }

  @Override
  public JsonParser skipChildren() throws IOException {
    boolean begins = delegate.currentToken().isStructStart();
    delegate.skipChildren();
    if (begins) {
      within.pop();
    }
    return this;
  }

  private static ApiException unsafe(String path) {
    String place = path.isEmpty() ? "a key" : path;
    return new ApiException(INVALID_ARGUMENT, place + " must not hold U+0000 or half a surrogate pair").at(place);
  }

  /** As the contract names a field. */
  private static String path(JsonStreamContext place) {
    if (place.inRoot()) {
      return "";
    }
    String before = path(place.getParent());
    if (place.inArray()) {
      return before + "[" + place.getCurrentIndex() + "]";
    }
    return before.isEmpty() ? place.getCurrentName() : before + "." + place.getCurrentName();
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

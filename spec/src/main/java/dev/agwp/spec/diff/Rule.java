package dev.agwp.spec.diff;

import static dev.agwp.spec.diff.Breaks.GENERATED_SOURCE;
import static dev.agwp.spec.diff.Breaks.OLD_CLIENTS;
import static dev.agwp.spec.diff.Breaks.OLD_SERVERS;
import static dev.agwp.spec.diff.Breaks.WIRE_ONLY;

import java.util.List;
import java.util.Locale;

/** Every kind of change the gate knows: whom it breaks, and why. A rule that breaks nobody is told and passes. */
public enum Rule {
  OPERATION_ADDED("a new operation"),
  OPERATION_REMOVED("its callers get 404 or 405", OLD_CLIENTS, GENERATED_SOURCE),
  OPERATION_ID_CHANGED("generators name the method by it", GENERATED_SOURCE),
  OPERATION_TAG_CHANGED("generators name the class by it", GENERATED_SOURCE),
  OPERATION_DEPRECATED("callers are warned, nothing changes yet"),
  SECURITY_TIGHTENED("callers that sent no such credentials are refused", OLD_CLIENTS),
  SECURITY_LOOSENED("callers may send less"),
  SERVER_URL_ADDED("one more place to call"),
  SERVER_URL_REMOVED("generated clients call it by default", OLD_CLIENTS),
  ERROR_CODE_ADDED("decide by code: an unknown one must not break a client"),
  ERROR_CODE_REMOVED("clients decide by it", OLD_CLIENTS),

  PARAMETER_REMOVED("a filter that is sent is ignored: the answer means something else", OLD_CLIENTS, GENERATED_SOURCE),
  PARAMETER_ADDED("an optional one, after the others"),
  PARAMETER_ADDED_BEFORE_OTHERS("positional arguments shift in generated code", GENERATED_SOURCE),
  PARAMETER_ORDER_CHANGED("positional arguments shift in generated code", GENERATED_SOURCE),
  PARAMETER_REQUIRED("callers that leave it out are refused", OLD_CLIENTS),
  PARAMETER_OPTIONAL("callers may leave it out"),
  PARAMETER_STYLE_CHANGED("what is sent is read otherwise", OLD_CLIENTS, OLD_SERVERS),
  PATH_PARAMETER_RENAMED("the wire is the same; named arguments in generated code are not"),

  REQUEST_BODY_ADDED("callers may send one"),
  REQUEST_BODY_REMOVED("what is sent is ignored", OLD_CLIENTS, GENERATED_SOURCE),
  REQUEST_BODY_REQUIRED("callers that send none are refused", OLD_CLIENTS),
  REQUEST_BODY_OPTIONAL("callers may leave it out"),
  REQUEST_MEDIA_TYPE_ADDED("one more format to send"),
  REQUEST_MEDIA_TYPE_REMOVED("callers that send it are refused", OLD_CLIENTS),
  REQUEST_MEDIA_TYPE_ORDER_CHANGED("generated clients send the first one", OLD_SERVERS),
  RESPONSE_STATUS_ADDED("clients treat an error by its class"),
  RESPONSE_SUCCESS_STATUS_ADDED("generated clients do not read the body of a success they do not know", OLD_CLIENTS),
  RESPONSE_STATUS_REMOVED("clients wait for it", OLD_CLIENTS),
  RESPONSE_MEDIA_TYPE_ADDED("one more format to ask for"),
  RESPONSE_MEDIA_TYPE_REMOVED("callers that ask for it are refused", OLD_CLIENTS),
  RESPONSE_MEDIA_TYPE_ORDER_CHANGED("a client that accepts all gets the first one", OLD_CLIENTS),
  RESPONSE_HEADER_ADDED("clients ignore it"),
  RESPONSE_HEADER_REMOVED("clients read it", OLD_CLIENTS),

  REQUEST_PROPERTY_ADDED("an optional one; older servers ignore it"),
  REQUEST_REQUIRED_PROPERTY_ADDED("callers that do not know it are refused", OLD_CLIENTS),
  REQUEST_PROPERTY_REQUIRED("callers that leave it out are refused", OLD_CLIENTS),
  REQUEST_PROPERTY_OPTIONAL("callers may leave it out"),
  REQUEST_PROPERTY_REMOVED("what is sent is silently dropped", OLD_CLIENTS, GENERATED_SOURCE),
  REQUEST_ENUM_VALUE_ADDED("callers may send it; older servers refuse it"),
  REQUEST_ENUM_VALUE_REMOVED("callers that send it are refused", OLD_CLIENTS, GENERATED_SOURCE),
  REQUEST_ENUM_CLOSED("callers that send another value are refused", OLD_CLIENTS, GENERATED_SOURCE),
  REQUEST_ENUM_OPENED("generated code has no type for it any more", GENERATED_SOURCE),
  REQUEST_LIMIT_TIGHTENED("callers that keep to the old limit are refused", OLD_CLIENTS),
  REQUEST_LIMIT_LOOSENED("callers may send more"),
  REQUEST_NULL_REFUSED("callers that send null are refused", OLD_CLIENTS),
  REQUEST_NULL_ALLOWED("callers may send null"),
  REQUEST_TYPE_CHANGED("what is sent cannot be read", OLD_CLIENTS, OLD_SERVERS, GENERATED_SOURCE),
  REQUEST_TYPE_WIDENED("callers may send more types"),
  REQUEST_FORMAT_WIDENED("every old value fits; generated code gets a wider type"),
  REQUEST_FORMAT_CHANGED("what is sent is read otherwise, or refused", OLD_CLIENTS, GENERATED_SOURCE),
  REQUEST_CLOSED("callers that send more are refused", OLD_CLIENTS),
  REQUEST_OPENED("generated code no longer finds a mistyped name", GENERATED_SOURCE),
  REQUEST_READ_ONLY("what is sent is dropped or refused", OLD_CLIENTS, GENERATED_SOURCE),
  DEFAULT_CHANGED("half of the generators send the old one; the others get the new one", OLD_CLIENTS),
  DEFAULT_REMOVED("callers that relied on it get something else", OLD_CLIENTS),
  DEFAULT_ADDED("says what happens to callers that leave it out"),

  RESPONSE_PROPERTY_ADDED("clients ignore what they do not know"),
  RESPONSE_PROPERTY_REMOVED("clients read it", OLD_CLIENTS, GENERATED_SOURCE),
  RESPONSE_PROPERTY_OPTIONAL("clients rely on it", OLD_CLIENTS, GENERATED_SOURCE),
  RESPONSE_PROPERTY_REQUIRED("always there now; older servers may leave it out"),
  RESPONSE_ENUM_VALUE_ADDED("generated clients throw the whole answer away", OLD_CLIENTS),
  RESPONSE_ENUM_VALUE_REMOVED("nobody gets it any more"),
  RESPONSE_ENUM_CLOSED("newer clients throw away what older servers may answer", OLD_SERVERS, GENERATED_SOURCE),
  RESPONSE_ENUM_OPENED("clients throw away a value they do not know", OLD_CLIENTS, GENERATED_SOURCE),
  RESPONSE_KNOWN_VALUE_ADDED("the set is open: clients keep a value they do not know"),
  RESPONSE_KNOWN_VALUE_REMOVED("clients decide by it", OLD_CLIENTS),
  RESPONSE_LIMIT_LOOSENED("clients that check answers throw away what is beyond the old limit", OLD_CLIENTS),
  RESPONSE_LIMIT_TIGHTENED("newer clients that check answers throw away what older servers send", OLD_SERVERS),
  RESPONSE_NULL_ALLOWED("clients fail on null", OLD_CLIENTS),
  RESPONSE_NULL_REFUSED("never null now; older servers may send it"),
  RESPONSE_TYPE_CHANGED("clients cannot read it", OLD_CLIENTS, OLD_SERVERS, GENERATED_SOURCE),
  RESPONSE_TYPE_NARROWED("one of the types it could always be"),
  RESPONSE_FORMAT_CHANGED("clients read it into another type", OLD_CLIENTS, GENERATED_SOURCE),
  RESPONSE_CLOSED("clients generated from it fail on the first field a later release adds", GENERATED_SOURCE),
  RESPONSE_OPENED("clients generated from it ignore what is added later"),
  RESPONSE_WRITE_ONLY("clients read it and it is gone", OLD_CLIENTS, GENERATED_SOURCE),

  VARIANTS_CHANGED("another set of schemas is allowed", OLD_CLIENTS, OLD_SERVERS, GENERATED_SOURCE),
  VARIANTS_HARMLESS("callers may send one more, or never get one of them"),
  SCHEMA_ADDED("one more generated type"),
  SCHEMA_REMOVED("its generated type is gone", GENERATED_SOURCE),
  SCHEMA_RENAMED("generators name the type by it", GENERATED_SOURCE),
  SCHEMA_INLINED("generators name an inline type by its place", GENERATED_SOURCE),

  FIELD_NUMBER_MOVED("bytes are read as another field", WIRE_ONLY),
  FIELD_NUMBER_MISSING("the field is lost, or gets a number by chance", WIRE_ONLY),
  FIELD_NUMBER_REUSED("old bytes are read as the new field", WIRE_ONLY),
  FIELD_TYPE_CHANGED("bytes are read as another type", WIRE_ONLY),
  ENUM_NUMBER_MOVED("bytes are read as another value", WIRE_ONLY),
  PROTOBUF_NAME_CHANGED("messages, packages or enums have another name", WIRE_ONLY, GENERATED_SOURCE),
  RESERVED_NUMBER_FREED("a number that was given up may be taken again", WIRE_ONLY),

  DESCRIPTION_CHANGED("words only");

  private final String reason;
  private final List<Breaks> breaks;

  Rule(String reason, Breaks... breaks) {
    this.reason = reason;
    this.breaks = List.of(breaks);
  }

  /** The rule as reports and accepted-breaks.yaml write it, for example {@code request-property-removed}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Why it breaks whom it breaks, or why nobody. */
  public String reason() {
    return reason;
  }

  /** Whom it breaks; empty when nobody. */
  public List<Breaks> breaks() {
    return breaks;
  }

  public boolean isBreaking() {
    return !breaks.isEmpty();
  }
}

package dev.agwp.compat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.internal.ApiClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/** Calls by name what an older SDK may lack. */
final class Newer {
  /** As the SDK writes JSON, but strict about names: a field that this SDK does not know is an error here and not dropped. */
  static final ObjectMapper SDK_JSON =
      ApiClient.createDefaultObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private Newer() {}

  /** Null when the object has no such method. */
  static Object call(Object object, String name) {
    return Arrays.stream(object.getClass().getMethods())
        .filter(method -> method.getName().equals(name) && method.getParameterCount() == 0)
        .findFirst()
        .map(method -> invoke(object, method))
        .orElse(null);
  }

  /** @throws IllegalArgumentException when the request has a field that this SDK does not know */
  static Object operation(AgwpClient client, JsonNode order) {
    Method method = Arrays.stream(AgwpClient.class.getMethods())
        .filter(each -> each.getName().equals(order.get("operation").asText()))
        .findFirst().orElseThrow();
    Object[] arguments = Arrays.stream(method.getParameterTypes()).map(type -> type != String.class
        ? SDK_JSON.convertValue(order.get("request"), type)
        : order.path("job_id").asText(order.path("queue").asText())).toArray();
    return invoke(client, method, arguments);
  }

  private static Object invoke(Object object, Method method, Object... arguments) {
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(thrown);
    } catch (IllegalAccessException hidden) {
      throw new IllegalStateException(hidden);
    }
  }
}

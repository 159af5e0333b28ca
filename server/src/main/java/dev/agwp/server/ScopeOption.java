package dev.agwp.server;

import dev.agwp.server.http.Scope;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A scope as the contract writes it. */
final class ScopeOption implements ITypeConverter<Scope> {
  @Override
  public Scope convert(String word) {
    return Scope.of(word).orElseThrow(() -> new TypeConversionException("must be one of "
        + Stream.of(Scope.values()).map(Scope::word).collect(Collectors.joining(", ")) + "; got " + word));
  }
}

package dev.agwp.server.http;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a credential lets its holder do; which operation needs which, the contract says as {@code x-scopes}. */
public enum Scope {
  ENQUEUE,
  WORK,
  READ,
  OPERATE;

  /** The scope as the contract writes it, for example {@code enqueue}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty for a word that names none. */
  public static Optional<Scope> of(String word) {
    return Stream.of(values()).filter(scope -> scope.word().equals(word)).findFirst();
  }
}

package dev.agwp.server.access;

import dev.agwp.server.http.Caller;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A token as it is stored, at one moment.
 *
 * @param secretHash all that is kept of its secret
 * @param expiresAt null for never
 * @param revokedAt null unless it was
 * @param lastUsedAt null before its first use; behind by up to {@link #USE_IS_STORED_EVERY_MS}
 * @param readAt when the database answered this row, by its own clock
 */
public record TokenRow(
    String id, String secretHash, String principal, String scopes, String queues, long createdAt, Long expiresAt, Long revokedAt,
    Long lastUsedAt, long readAt) {
  static final long USE_IS_STORED_EVERY_MS = 60_000;
  private static final String SEPARATOR = " ";

  boolean hasExpired() {
    return expiresAt != null && expiresAt <= readAt;
  }

  boolean isRevoked() {
    return revokedAt != null;
  }

  /** Whether its last use is so long ago that this one is to be stored. */
  boolean isUseToBeStored() {
    return lastUsedAt == null || readAt - lastUsedAt >= USE_IS_STORED_EVERY_MS;
  }

  /** A scope that this release does not know gives nothing. */
  Caller caller() {
    return new Caller(
        principal,
        words(scopes).stream().map(Scope::of).flatMap(Optional::stream).collect(Collectors.toUnmodifiableSet()),
        new NamePatterns(words(queues)));
  }

  static String text(List<String> words) {
    return String.join(SEPARATOR, words);
  }

  private static List<String> words(String text) {
    return Arrays.asList(text.split(SEPARATOR));
  }
}

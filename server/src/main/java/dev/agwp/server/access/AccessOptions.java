package dev.agwp.server.access;

import dev.agwp.server.http.Scope;
import java.util.List;
import java.util.Set;

/**
 * Who is let in.
 *
 * @param exposed whether others than the processes of this machine can reach the server
 * @param allowAnonymous whether callers without a credential are served as before where credentials are asked for
 * @param issuers whose JWTs are credentials
 * @param requestsPerSecond how many requests of one principal are served; 0 for no limit
 * @param badCredentialsPerMinute how many bad credentials of one address are looked at; 0 for no limit
 * @param ofCertificates what a caller may do whose client certificate is its credential; empty where none is asked for
 */
public record AccessOptions(
    boolean exposed, boolean allowAnonymous, List<JwtIssuer> issuers, int requestsPerSecond,
    int badCredentialsPerMinute, Set<Scope> ofCertificates) {
  public static final int BAD_CREDENTIALS_PER_MINUTE_DEFAULT = 60;

  /** As a server without any option of access has it. */
  public static final AccessOptions DEFAULTS =
      new AccessOptions(false, false, List.of(), 0, BAD_CREDENTIALS_PER_MINUTE_DEFAULT, Set.of());
}

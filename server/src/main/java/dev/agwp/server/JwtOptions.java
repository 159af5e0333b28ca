package dev.agwp.server;

import dev.agwp.server.access.JwtIssuer;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that describe one issuer of JWTs; {@code serve} takes them again for each further one. */
final class JwtOptions {
  @Option(names = "--jwt-issuer", paramLabel = "URL", required = true,
      description = "Take JWTs of this issuer (iss) for credentials, signed with RS256, ES256 or EdDSA. Give it again, with what "
          + "follows, for each further issuer.")
  private String issuer;

  @Option(names = "--jwt-audience", paramLabel = "NAME", required = true,
      description = "The audience (aud) that the issuer's tokens must be for.")
  private String audience;

  @Option(names = "--jwt-jwks", paramLabel = "FILE|URL", required = true,
      description = "The issuer's public keys, a JWK set: a file, read again when it changes, or an https URL, read every 5 minutes and for "
          + "a key that is not known at most every 30 seconds.")
  private String jwks;

  @Option(names = "--jwt-principals", paramLabel = "PATTERN", split = ",",
      description = "The principals that the issuer may name, as patterns in which * stands for any run of characters (default: *, all). "
          + "Say them where anybody can get a token of the issuer, and where there are several issuers.")
  private List<String> principals = List.of("*");

  @Option(names = "--jwt-principal-claim", paramLabel = "CLAIM", description = "The claim that names the principal (default: sub).")
  private String principalClaim = "sub";

  @Option(names = "--jwt-scopes", paramLabel = "SCOPE", split = ",", converter = ScopeOption.class,
      description = "What every principal of the issuer may do, of enqueue, work, read, operate (default: what the token says).")
  private List<Scope> scopes = List.of();

  @Option(names = "--jwt-scope-claim", paramLabel = "CLAIM",
      description = "The claim that names further scopes, each with or without agwp: before it (default: scope).")
  private String scopeClaim = "scope";

  @Option(names = "--jwt-queues-claim", paramLabel = "CLAIM",
      description = "The claim that names the queues the token is for, as patterns (default: none is asked for, and all are allowed).")
  private String queuesClaim;

  @Option(names = "--jwt-lifetime-max", paramLabel = "DURATION", converter = DurationOption.class,
      description = "How far ahead the token's end (exp) may be (default: 24h).")
  private Duration lifetimeMax = Duration.ofHours(24);

  static void check(CommandLine command, List<JwtOptions> issuers) {
    for (JwtOptions each : issuers) {
      // Whoever can change the keys on the way can make tokens.
      if (each.jwks.startsWith("http://") && !isOfThisMachine(each.jwks)) {
        throw new ParameterException(command, "--jwt-jwks " + each.jwks + " must be an https URL, or a file");
      }
      if (issuers.stream().filter(other -> other.issuer.equals(each.issuer)).count() > 1) {
        throw new ParameterException(command, "--jwt-issuer " + each.issuer + " is given twice");
      }
    }
  }

  private static boolean isOfThisMachine(String url) {
    return url.startsWith("http://127.0.0.1:") || url.startsWith("http://localhost:");
  }

  JwtIssuer issuer() {
    return new JwtIssuer(issuer, audience, jwks, new NamePatterns(principals), principalClaim, Set.copyOf(scopes), scopeClaim,
        queuesClaim, lifetimeMax);
  }
}

package dev.agwp.server.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import java.text.ParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the JWTs of one issuer: the signature by its configured keys, then the claims. The clock here is this machine's, since the times
 * in a JWT are of its issuer's clock and not of the database's.
 */
final class JwtCheck {
  private static final Logger LOG = LoggerFactory.getLogger(JwtCheck.class);
  /** Signatures of key pairs only: a shared secret could be the public key, which everybody has. */
  private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256, JWSAlgorithm.EdDSA);
  private static final int CLOCK_SKEW_SECONDS_MAX = 60;
  private static final String SCOPE_PREFIX = "agwp:";
  private static final int PATTERNS_MAX = 32;

  private final JwtIssuer issuer;
  private final IssuerKeys keys;
  private final Claims claims;

  JwtCheck(JwtIssuer issuer) {
    this.issuer = issuer;
    keys = IssuerKeys.of(issuer.jwks());
    claims = new Claims(issuer);
  }

  String issuer() {
    return issuer.issuer();
  }

  /**
   * Who holds the token.
   *
   * @throws NotBelieved when it proves nothing
   * @throws KeySourceException when the issuer's keys cannot be read
   */
  Caller caller(SignedJWT jwt) throws NotBelieved, KeySourceException {
    checkHeader(jwt.getHeader());
    checkSignature(jwt);
    try {
      JWTClaimsSet said = jwt.getJWTClaimsSet();
      claims.verify(said, null);
      return new Caller(principal(said), scopes(said), queues(said));
    } catch (ParseException | BadJWTException refused) {
      throw new NotBelieved(refused.getMessage());
    }
  }

  private static void checkHeader(JWSHeader header) throws NotBelieved {
    if (!ALGORITHMS.contains(header.getAlgorithm())) {
      throw new NotBelieved("its algorithm is none of " + ALGORITHMS);
    }
    if (header.getJWK() != null || header.getJWKURL() != null || header.getX509CertURL() != null || header.getX509CertChain() != null) {
      throw new NotBelieved("it brings its own key");
    }
    if (header.getCriticalParams() != null) {
      throw new NotBelieved("it has critical header parameters");
    }
  }

  private void checkSignature(SignedJWT jwt) throws NotBelieved, KeySourceException {
    for (JWK key : keys.of(jwt.getHeader())) {
      if (isSignedBy(key, jwt)) {
        return;
      }
    }
    throw new NotBelieved("its signature is of none of the issuer's keys");
  }

  private static boolean isSignedBy(JWK key, SignedJWT jwt) {
    try {
      JWSAlgorithm algorithm = jwt.getHeader().getAlgorithm();
      if (algorithm.equals(JWSAlgorithm.RS256)) {
        return jwt.verify(new RSASSAVerifier(key.toRSAKey()));
      }
      return algorithm.equals(JWSAlgorithm.ES256)
          ? jwt.verify(new ECDSAVerifier(key.toECKey()))
          : Ed25519.isSigned(key.toOctetKeyPair(), jwt.getSigningInput(), jwt.getSignature().decode());
    } catch (JOSEException unfit) {
      // Of another curve, for example.
      return false;
    }
  }

  private String principal(JWTClaimsSet said) throws ParseException, NotBelieved {
    String principal = said.getStringClaim(issuer.principalClaim());
    if (principal == null || !Names.isPrincipal(principal)) {
      // The issuer signed it, so this is no attack and the operator must see it.
      LOG.warn("a JWT of {} was refused: its {} is not {}; name another claim with --jwt-principal-claim", issuer.issuer(),
          issuer.principalClaim(), Names.PRINCIPAL_RULE);
      throw new NotBelieved("its principal cannot be one");
    }
    if (!issuer.principals().allow(principal)) {
      throw new NotBelieved("its principal " + principal + " is none that the issuer may name");
    }
    return principal;
  }

  private Set<Scope> scopes(JWTClaimsSet said) throws ParseException {
    Set<Scope> scopes = EnumSet.noneOf(Scope.class);
    scopes.addAll(issuer.scopes());
    // Words of others, such as openid, give nothing.
    words(said, issuer.scopeClaim()).stream()
        .map(word -> Scope.of(word.startsWith(SCOPE_PREFIX) ? word.substring(SCOPE_PREFIX.length()) : word))
        .flatMap(Optional::stream)
        .forEach(scopes::add);
    return scopes;
  }

  private NamePatterns queues(JWTClaimsSet said) throws ParseException, NotBelieved {
    if (issuer.queuesClaim() == null) {
      return NamePatterns.ALL;
    }
    List<String> patterns = words(said, issuer.queuesClaim());
    if (patterns.isEmpty() || patterns.size() > PATTERNS_MAX || !patterns.stream().allMatch(Names::isQueuePattern)) {
      throw new NotBelieved("its " + issuer.queuesClaim() + " is not 1 to " + PATTERNS_MAX + " patterns");
    }
    return new NamePatterns(patterns);
  }

  /** A list, or one text with a space between the words. */
  private static List<String> words(JWTClaimsSet said, String claim) throws ParseException {
    Object value = said.getClaim(claim);
    if (value instanceof String text) {
      return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toList();
    }
    return value == null ? List.of() : said.getStringListClaim(claim);
  }

  /** Adds to the library's checks that a token must not be good for too long: one that was lost could not be taken back. */
  private static final class Claims extends DefaultJWTClaimsVerifier<SecurityContext> {
    private final long lifetimeMsMax;

    private Claims(JwtIssuer issuer) {
      super(issuer.audience(), new JWTClaimsSet.Builder().issuer(issuer.issuer()).build(), Set.of("exp", issuer.principalClaim()));
      setMaxClockSkew(CLOCK_SKEW_SECONDS_MAX);
      lifetimeMsMax = issuer.lifetimeMax().plusSeconds(CLOCK_SKEW_SECONDS_MAX).toMillis();
    }

    @Override
    public void verify(JWTClaimsSet said, SecurityContext context) throws BadJWTException {
      super.verify(said, context);
      if (said.getExpirationTime().getTime() - currentTime().getTime() > lifetimeMsMax) {
        throw new BadJWTException("it expires too far in the future");
      }
    }
  }
}

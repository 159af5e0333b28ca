package dev.agwp.server.access;

import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jwt.SignedJWT;
import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whose the JWTs are that trusted issuers made. One that was checked is believed for two seconds (ADR-0017). */
final class JwtIdentities {
  private static final Logger LOG = LoggerFactory.getLogger(JwtIdentities.class);
  private static final Duration BELIEVED_FOR = Duration.ofSeconds(2);
  private static final int TOKENS_KEPT_MAX = 10_000;

  private final Map<String, JwtCheck> checks;
  /** By the hash of the token: what is kept is small, and no secret. */
  private final Cache<String, Caller> known =
      Caffeine.newBuilder().maximumSize(TOKENS_KEPT_MAX).expireAfterWrite(BELIEVED_FOR).build();

  JwtIdentities(List<JwtIssuer> issuers) {
    checks = issuers.stream().map(JwtCheck::new).collect(Collectors.toMap(JwtCheck::issuer, Function.identity()));
  }

  /** @throws ApiException {@code unauthenticated}, and the log says why; {@code unavailable} when the issuer's keys cannot be read */
  Caller caller(String token) {
    if (checks.isEmpty()) {
      throw Authentication.notValid();
    }
    String hash = Sha256.hex(token.getBytes(StandardCharsets.UTF_8));
    Caller before = known.getIfPresent(hash);
    if (before != null) {
      return before;
    }
    // Outside of the cache, which would let others wait while an issuer's keys are fetched.
    Caller caller = checked(token);
    known.put(hash, caller);
    return caller;
  }

  private Caller checked(String token) {
    try {
      if (token.endsWith("=")) {
        throw refused("its parts are padded, which a JWT's are not");
      }
      SignedJWT jwt = SignedJWT.parse(token);
      // Not believed yet: it only tells whose keys are to be asked.
      String issuer = jwt.getJWTClaimsSet().getIssuer();
      JwtCheck check = issuer == null ? null : checks.get(issuer);
      if (check == null) {
        throw refused("its issuer is none of those that are trusted");
      }
      return check.caller(jwt);
    } catch (ParseException malformed) {
      // Not the library's words, which may repeat a part of it.
      throw refused("it is no signed JWT");
    } catch (NotBelieved disproved) {
      throw refused(disproved.getMessage());
    } catch (KeySourceException unreadable) {
      LOG.warn("the keys of an issuer cannot be read: {}", unreadable.getMessage());
      throw new ApiException(UNAVAILABLE, "the keys of the token's issuer cannot be read; try again");
    }
  }

  /** Why is the operator's to know; whoever forges tokens learns nothing. */
  private static ApiException refused(String why) {
    LOG.debug("a JWT was refused: {}", why);
    return Authentication.notValid();
  }
}

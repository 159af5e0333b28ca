package dev.agwp.server.access;

import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import java.time.Duration;
import java.util.Set;

/**
 * An issuer whose JWTs are credentials.
 *
 * @param issuer what {@code iss} must be
 * @param audience what {@code aud} must be or hold
 * @param jwks the file or the URL of its public keys
 * @param principals which principals it may name
 * @param principalClaim the claim that names the principal
 * @param scopes what each of its principals may do, whatever the token says
 * @param scopeClaim the claim that names further scopes
 * @param queuesClaim the claim that names the queues as patterns; null when its principals may use every queue
 * @param lifetimeMax how far ahead {@code exp} may be
 */
public record JwtIssuer(
    String issuer, String audience, String jwks, NamePatterns principals, String principalClaim, Set<Scope> scopes, String scopeClaim,
    String queuesClaim, Duration lifetimeMax) {}

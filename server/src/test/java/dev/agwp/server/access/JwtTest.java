package dev.agwp.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.util.Base64URL;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JWTs of a trusted issuer, good and bad. */
final class JwtTest {
  private static final TestIssuer ISSUER = new TestIssuer();
  private static final TestIssuer STRANGER = new TestIssuer();
  private static final Map<String, Object> AS_EVER = Map.of();

  @TempDir
  private Path folder;
  private String jwks;

  @BeforeEach
  void publishTheKeys() throws IOException {
    jwks = Files.writeString(folder.resolve("jwks.json"), ISSUER.jwks()).toString();
  }

  private Api serve(TestDatabase database, JwtIssuer... issuers) {
    return database.serve(new AccessOptions(false, false, List.of(issuers), 0, 0, Set.of()));
  }

  @EveryDatabase
  void a_good_token_of_each_algorithm_names_the_principal(TestDatabase database) {
    try (database) {
      Api api = serve(database, TestIssuer.trusted(jwks));
      api.get("/v1/queues").refused(401, "unauthenticated");
      int worker = 0;
      for (String[] kind : new String[][] {{"RS256", "rsa"}, {"ES256", "ec"}, {"EdDSA", "ed"}}) {
        Api workload = api.as(ISSUER.signedBy(kind[0], Map.of("alg", kind[0], "kid", kind[1]), TestIssuer.claims(AS_EVER)));
        workload.aQueuedJob();
        assertThat(workload.claim("w" + worker).get(0).get("claimed_by").asText()).isEqualTo("workload:ci/main|w" + worker++);
        Api withoutKid = api.as(ISSUER.signedBy(kind[0], Map.of("alg", kind[0]), TestIssuer.claims(AS_EVER)));
        withoutKid.get("/v1/queues").ok();
      }
    }
  }

  @EveryDatabase
  void a_token_that_proves_nothing_is_refused_in_the_same_words_and_changes_nothing(TestDatabase database) {
    try (database) {
      Api api = serve(database, TestIssuer.trusted(jwks));
      api.as(ISSUER.token(AS_EVER)).aQueuedJob();
      List<String> before = database.everything();

      badTokens().forEach((why, token) -> {
        Api.Answer answer = api.as(token).post("/v1/jobs", "{\"queue\": \"q\"}");
        assertThat(answer.status() + " " + answer.code()).as(why).isEqualTo("401 unauthenticated");
        assertThat(answer.json().get("detail").asText()).as(why).isEqualTo("the credential is not valid");
      });
      assertThat(database.everything()).isEqualTo(before);
    }
  }

  private static Map<String, String> badTokens() {
    Map<String, String> bad = new LinkedHashMap<>();
    Map<String, Object> good = TestIssuer.claims(AS_EVER);
    String token = ISSUER.token(AS_EVER);
    String[] parts = token.split("\\.");
    bad.put("padded", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa"), good) + "=");
    bad.put("alg none", TestIssuer.part(Map.of("alg", "none")) + "." + parts[1] + ".");
    bad.put("alg none with the signature of a good one", TestIssuer.part(Map.of("alg", "none", "kid", "rsa")) + "." + parts[1] + "." + parts[2]);
    bad.put("HS256 with the public key", hmac(Map.of("alg", "HS256", "kid", "rsa"), good));
    bad.put("HS256 without a kid", hmac(Map.of("alg", "HS256"), good));
    bad.put("an algorithm that is not taken", ISSUER.signedBy("RS512", Map.of("alg", "RS512", "kid", "rsa"), good));
    bad.put("the key of another algorithm", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "ec"), good));
    bad.put("signed by another algorithm than it says", ISSUER.signedBy("RS256", Map.of("alg", "ES256", "kid", "ec"), good));
    bad.put("signed by a stranger", STRANGER.token(AS_EVER));
    bad.put("foreign kid", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "other"), good));
    bad.put("kid that is a path", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "../../x"), good));
    bad.put("kid that is SQL", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "' or 1=1 --"), good));
    bad.put("jku", STRANGER.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa", "jku", "https://evil.example/jwks"), good));
    bad.put("jku beside a good signature", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa", "jku", "https://evil.example/jwks"), good));
    bad.put("x5u", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa", "x5u", "https://evil.example/cert"), good));
    bad.put("jwk", STRANGER.signedBy("RS256", Map.of("alg", "RS256", "jwk", publicKeyOf(STRANGER)), good));
    bad.put("crit", ISSUER.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa", "crit", List.of("exp")), good));
    bad.put("ES256 with r = s = 0", TestIssuer.part(Map.of("alg", "ES256", "kid", "ec")) + "." + parts[1] + "." + Base64URL.encode(new byte[64]));
    for (int bytes : new int[] {1, 63, 65}) {
      String signature = "." + parts[1] + "." + Base64URL.encode(Arrays.copyOf(Base64URL.from(parts[2]).decode(), bytes));
      bad.put("EdDSA with " + bytes + " bytes", TestIssuer.part(Map.of("alg", "EdDSA", "kid", "ed")) + signature);
      bad.put("ES256 with " + bytes + " bytes", TestIssuer.part(Map.of("alg", "ES256", "kid", "ec")) + signature);
    }
    bad.put("a changed claim", parts[0] + "." + TestIssuer.part(TestIssuer.claims(Map.of("sub", "admin"))) + "." + parts[2]);
    bad.put("a truncated one", token.substring(0, token.length() - 4));
    bad.put("an encrypted one", TestIssuer.part(Map.of("alg", "dir", "enc", "A256GCM")) + "..a.b.c");
    bad.put("no JSON", "bm90.bm90.bm90");
    bad.put("a header that is a list", Base64URL.encode("[]") + "." + parts[1] + "." + parts[2]);
    bad.put("deep JSON", Base64URL.encode("[".repeat(5000)) + "." + parts[1] + "." + parts[2]);
    bad.put("a large one", parts[0] + "." + Base64URL.encode("x".repeat(4_000)) + "." + parts[2]);
    badClaims().forEach((why, claims) -> bad.put(why, ISSUER.token(claims)));
    return bad;
  }

  private static Map<String, Map<String, Object>> badClaims() {
    long now = TestIssuer.nowSeconds();
    Map<String, Map<String, Object>> bad = new LinkedHashMap<>();
    bad.put("wrong aud", Map.of("aud", "other"));
    bad.put("aud of others", Map.of("aud", List.of("a", "b")));
    bad.put("no aud", without("aud"));
    bad.put("wrong iss", Map.of("iss", "https://evil.example"));
    bad.put("iss with a slash more", Map.of("iss", TestIssuer.NAME + "/"));
    bad.put("no iss", without("iss"));
    bad.put("expired", Map.of("exp", now - 61));
    bad.put("far future exp", Map.of("exp", now + 24 * 3600 + 120));
    bad.put("exp beyond all times", Map.of("exp", Long.MAX_VALUE));
    bad.put("no exp", without("exp"));
    bad.put("exp that is text", Map.of("exp", "tomorrow"));
    bad.put("not valid yet", Map.of("nbf", now + 120));
    bad.put("no sub", without("sub"));
    bad.put("sub with a bar", Map.of("sub", "auth0|123"));
    bad.put("sub with a line break", Map.of("sub", "a\nb"));
    bad.put("empty sub", Map.of("sub", ""));
    bad.put("long sub", Map.of("sub", "s".repeat(129)));
    bad.put("sub that is a list", Map.of("sub", List.of("a")));
    bad.put("scope that is a number", Map.of("scope", 5));
    return bad;
  }

  private static Map<String, Object> without(String claim) {
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put(claim, null);
    return claims;
  }

  private static Map<String, Object> publicKeyOf(TestIssuer issuer) {
    return Map.of("kty", "RSA", "e", "AQAB", "n", Base64URL.encode(issuer.rsaPublicKey().getModulus().toByteArray()).toString());
  }

  private static String hmac(Map<String, Object> header, Map<String, Object> claims) {
    try {
      String input = TestIssuer.part(header) + "." + TestIssuer.part(claims);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(ISSUER.rsaPublicKey().getEncoded(), "HmacSHA256"));
      return input + "." + Base64URL.encode(mac.doFinal(input.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }

  @Test
  void a_token_of_a_megabyte_is_refused_at_the_limit_of_headers_and_changes_nothing() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, TestIssuer.trusted(jwks));
      List<String> before = database.everything();

      String answer = new RawHttp(api.base()).send("POST /v1/jobs HTTP/1.1\r\nHost: agwp\r\nContent-Type: application/json\r\n"
          + "Content-Length: 14\r\nAuthorization: Bearer " + "a".repeat(1024 * 1024) + "\r\n\r\n{\"queue\": \"q\"}");

      assertThat(answer).startsWith("HTTP/1.1 400").contains("application/problem+json").contains("must be at most 8192 bytes");
      assertThat(database.everything()).isEqualTo(before);
      api.as(ISSUER.token(AS_EVER)).get("/v1/queues").ok();
    }
  }

  @Test
  void clocks_may_differ_by_a_minute() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, TestIssuer.trusted(jwks));
      long now = TestIssuer.nowSeconds();

      api.as(ISSUER.token(Map.of("exp", now - 40))).get("/v1/queues").ok();
      api.as(ISSUER.token(Map.of("nbf", now + 40))).get("/v1/queues").ok();
      api.as(ISSUER.token(Map.of("exp", now + 24 * 3600))).get("/v1/queues").ok();
    }
  }

  @Test
  void scopes_are_words_or_a_list_with_or_without_a_prefix_and_those_of_others_give_nothing() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, TestIssuer.trusted(jwks));

      for (Object scope : List.of("read", "openid agwp:read", List.of("agwp:read", "email"), "  read  ")) {
        Api reader = api.as(ISSUER.token(Map.of("scope", scope)));
        reader.get("/v1/queues").ok();
        reader.post("/v1/jobs", "{\"queue\": \"q\"}").refused(403, "permission_denied");
      }
      for (Object scope : List.of("", "openid", "READ", "agwp:agwp:read", List.of())) {
        api.as(ISSUER.token(Map.of("scope", scope))).get("/v1/queues").refused(403, "permission_denied");
      }
      api.as(ISSUER.token(without("scope"))).get("/v1/queues").refused(403, "permission_denied");
    }
  }

  @EveryDatabase
  void the_queues_claim_restricts_and_a_token_without_it_is_refused(TestDatabase database) {
    try (database) {
      Api api = serve(database, TestIssuer.trusted(jwks, NamePatterns.ALL, "agwp_queues"));

      Api team = api.as(ISSUER.token(Map.of("agwp_queues", List.of("team-a.*", "shared"))));
      team.post("/v1/jobs", "{\"queue\": \"team-a.x\"}").ok();
      team.post("/v1/jobs", "{\"queue\": \"other\"}").refused(403, "permission_denied");
      for (Object queues : List.of("", List.of(), List.of("a b"), "a|b", 5, List.of(5), "*".repeat(5))) {
        api.as(ISSUER.token(Map.of("agwp_queues", queues))).get("/v1/queues").refused(401, "unauthenticated");
      }
      api.as(ISSUER.token(AS_EVER)).get("/v1/queues").refused(401, "unauthenticated");
    }
  }

  @Test
  void an_issuer_names_only_principals_that_it_may_name_and_only_with_its_own_keys() throws IOException {
    String others = Files.writeString(folder.resolve("others.json"), STRANGER.jwks()).toString();
    JwtIssuer other = new JwtIssuer("https://other.example", TestIssuer.AUDIENCE, others, new NamePatterns(List.of("other:*")), "sub",
        Set.of(Scope.READ), "scope", null, Duration.ofHours(1));
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, TestIssuer.trusted(jwks, new NamePatterns(List.of("workload:*")), null), other);

      api.as(ISSUER.token(AS_EVER)).get("/v1/queues").ok();
      api.as(STRANGER.token(Map.of("iss", "https://other.example", "sub", "other:a", "scope", ""))).get("/v1/queues").ok();
      api.as(STRANGER.token(Map.of("iss", "https://other.example"))).get("/v1/queues").refused(401, "unauthenticated");
      api.as(ISSUER.token(Map.of("sub", "other:a"))).get("/v1/queues").refused(401, "unauthenticated");
      api.as(ISSUER.token(Map.of("iss", "https://other.example", "sub", "other:a"))).get("/v1/queues").refused(401, "unauthenticated");
    }
  }
}

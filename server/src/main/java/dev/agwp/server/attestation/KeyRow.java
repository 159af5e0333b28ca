package dev.agwp.server.attestation;

/**
 * A public key of who signs attestations.
 *
 * @param keyId as {@link dev.agwp.attestation.VerificationKey#id}
 * @param publicKey its SubjectPublicKeyInfo
 * @param revokedAt null while it counts
 */
public record KeyRow(String keyId, String principal, byte[] publicKey, long createdAt, Long revokedAt) {}

package dev.agwp.server.attestation;

import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of AttestationMapper.xml. */
public interface AttestationMapper {
  /** An attestation, and the claim whose completion it came with. */
  record OfClaim(String jobId, long attempts, StoredAttestation attestation) {}

  int store(@Param("rows") List<OfClaim> attestations);

  StoredAttestation find(@Param("jobId") String jobId);
}

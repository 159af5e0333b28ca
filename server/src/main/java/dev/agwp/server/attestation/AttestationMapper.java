package dev.agwp.server.attestation;

import org.apache.ibatis.annotations.Param;

/** The statements of AttestationMapper.xml. */
public interface AttestationMapper {
  int store(
      @Param("jobId") String jobId, @Param("attempts") long attempts, @Param("attestation") StoredAttestation attestation);

  StoredAttestation find(@Param("jobId") String jobId);
}

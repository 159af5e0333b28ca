package dev.agwp.server.attestation;

import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of KeyMapper.xml. */
public interface KeyMapper {
  int add(
      @Param("keyId") String keyId,
      @Param("principal") String principal,
      @Param("publicKey") byte[] publicKey,
      @Param("keysMax") int keysMax);

  KeyRow find(@Param("keyId") String keyId);

  List<KeyRow> list();

  int revoke(@Param("keyId") String keyId);
}

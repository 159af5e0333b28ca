package dev.agwp.server.access;

import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of TokenMapper.xml. */
public interface TokenMapper {
  /** @param lifetimeMs null for a token that does not expire */
  int create(
      @Param("id") String id,
      @Param("secretHash") String secretHash,
      @Param("principal") String principal,
      @Param("scopes") String scopes,
      @Param("queues") String queues,
      @Param("lifetimeMs") Long lifetimeMs);

  boolean anyEver();

  TokenRow find(@Param("id") String id);

  List<TokenRow> list();

  int revoke(@Param("id") String id);

  int used(@Param("id") String id);
}

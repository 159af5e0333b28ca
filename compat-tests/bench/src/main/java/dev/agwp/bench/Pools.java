package dev.agwp.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Connection pools for peers that bring none. */
final class Pools {
  /** What a peer does beside its workers: polling, heartbeats. */
  private static final int CONNECTIONS_BESIDE_WORKERS = 4;

  private Pools() {}

  static HikariDataSource open(Postgres.Database database, int workers) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(workers + CONNECTIONS_BESIDE_WORKERS);
    return new HikariDataSource(config);
  }
}

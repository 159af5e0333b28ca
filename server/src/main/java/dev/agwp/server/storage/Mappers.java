package dev.agwp.server.storage;

import dev.agwp.server.access.TokenMapper;
import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.KeyMapper;
import dev.agwp.server.audit.AuditMapper;
import dev.agwp.server.job.JobMapper;
import dev.agwp.server.lease.IntegrationMapper;
import dev.agwp.server.lease.LeaseMapper;
import dev.agwp.server.queue.QueueMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import javax.sql.DataSource;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.io.Resources;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.LocalCacheScope;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** The mapper files, read once for each pool. */
final class Mappers {
  private static final String DIALECT = "dev/agwp/server/storage/Dialect.xml";
  private static final List<Class<?>> MAPPERS = List.of(
      JobMapper.class, QueueMapper.class, AttestationMapper.class, KeyMapper.class, TokenMapper.class, AuditMapper.class, LeaseMapper.class,
      IntegrationMapper.class);

  private Mappers() {}

  static SqlSessionFactory sessions(DatabaseKind kind, DataSource pool) {
    Configuration configuration = new Configuration(new Environment(kind.name(), new JdbcTransactionFactory(), pool));
    configuration.setDatabaseId(kind.databaseId());
    // Statements are logged by a name of their own: the debug level of this server is one line a request.
    configuration.setLogPrefix("sql.");
    configuration.setMapUnderscoreToCamelCase(true);
    configuration.setArgNameBasedConstructorAutoMapping(true);
    // A session must never answer from a cache what another session has changed.
    configuration.setCacheEnabled(false);
    configuration.setLocalCacheScope(LocalCacheScope.STATEMENT);
    parse(configuration, DIALECT);
    for (Class<?> mapper : MAPPERS) {
      parse(configuration, mapper.getName().replace('.', '/') + ".xml");
    }
    return new SqlSessionFactoryBuilder().build(configuration);
  }

  private static void parse(Configuration configuration, String resource) {
    try (InputStream xml = Resources.getResourceAsStream(resource)) {
      new XMLMapperBuilder(xml, configuration, resource, configuration.getSqlFragments()).parse();
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}

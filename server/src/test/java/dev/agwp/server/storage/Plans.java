package dev.agwp.server.storage;

import dev.agwp.server.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;

/** What a database does for the statements of a mapper: on PostgreSQL one JSON text each, on SQLite a line a step. */
final class Plans {
  private Plans() {}

  /**
   * By the name of the statement; each is undone.
   *
   * @param calls the parameters of each statement by its name, to which a word may be added after a space
   */
  static Map<String, List<String>> of(TestDatabase database, String mapper, Map<String, Map<String, Object>> calls) throws SQLException {
    String explain = database.isPostgresql() ? "explain (analyze, format json) " : "explain query plan ";
    Map<String, List<String>> plans = new LinkedHashMap<>();
    try (Database opened = Database.open(database.url()); Connection connection = database.connect();
        SqlSession session = opened.openSession()) {
      SqlSessionFactory statements = Mappers.sessions(
          DatabaseKind.of(database.url()), session.getConfiguration().getEnvironment().getDataSource());
      connection.setAutoCommit(false);
      for (Map.Entry<String, Map<String, Object>> call : calls.entrySet()) {
        String name = call.getKey().split(" ")[0];
        MappedStatement statement = statements.getConfiguration().getMappedStatement(mapper + "." + name);
        BoundSql sql = statement.getBoundSql(call.getValue());
        try (PreparedStatement prepared = connection.prepareStatement(explain + sql.getSql())) {
          statement.getConfiguration().newParameterHandler(statement, call.getValue(), sql).setParameters(prepared);
          plans.put(call.getKey(), lastColumn(prepared));
        } finally {
          connection.rollback();
        }
      }
    }
    return plans;
  }

  private static List<String> lastColumn(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(result.getString(result.getMetaData().getColumnCount()));
      }
      return rows;
    }
  }
}

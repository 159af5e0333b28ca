package dev.agwp.server.storage;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.session.SqlSession;

/**
 * A statement as the server runs it, on a connection with the server's settings. Whatever it writes is undone.
 *
 * @param id of the statement in its mapper
 * @param tables whose rows are counted
 */
record HotStatement(String url, String id, Map<String, Object> parameters, List<String> tables) {
  /** The last column of what the database explains, before any parameter is known. */
  List<String> explained(String explain) throws SQLException {
    // As a simple query: only that may leave parameters open.
    String simple = url.startsWith("jdbc:postgresql") ? url + "&preferQueryMode=simple" : url;
    try (Database database = Database.open(simple); SqlSession session = database.openSession();
        Statement statement = session.getConnection().createStatement()) {
      String sql = session.getConfiguration().getMappedStatement(id).getBoundSql(parameters).getSql();
      for (int number = 1; sql.contains("?"); number++) {
        sql = sql.replaceFirst("\\?", "\\$" + number);
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery(explain + sql)) {
        while (result.next()) {
          rows.add(result.getString(result.getMetaData().getColumnCount()));
        }
      }
      return rows;
    }
  }

  /** By PostgreSQL, of which an index alone may have told. */
  long rowsRead() throws SQLException {
    try (Database database = Database.open(url); SqlSession session = database.openSession();
        Statement statement = session.getConnection().createStatement()) {
      session.getConnection().setAutoCommit(false);
      if (session.getConfiguration().getMappedStatement(id).getSqlCommandType() == SqlCommandType.SELECT) {
        session.selectList(id, parameters);
      } else {
        session.update(id, parameters);
      }
      String names = "'" + String.join("', '", tables) + "'";
      try (ResultSet read = statement.executeQuery("select (select sum(seq_tup_read) from pg_stat_xact_user_tables where relname in (" + names
          + ")) + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes where relname in (" + names + "))")) {
        read.next();
        return read.getLong(1);
      } finally {
        session.getConnection().rollback();
      }
    }
  }
}

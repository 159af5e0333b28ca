package dev.agwp.server.storage;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.ibatis.type.BaseTypeHandler;
import org.apache.ibatis.type.JdbcType;

/** Gives a statement a list of any length as one parameter, so that its text, and what the database prepared for it, stay the same. */
public final class JsonRows extends BaseTypeHandler<Object> {
  private static final ObjectMapper JSON = JsonMapper.builder()
      .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
      .serializationInclusion(JsonInclude.Include.NON_NULL)
      .build();

  @Override
  public void setNonNullParameter(PreparedStatement statement, int index, Object rows, JdbcType type) throws SQLException {
    try {
      statement.setString(index, JSON.writeValueAsString(rows));
    } catch (JsonProcessingException unwritable) {
      throw new IllegalStateException(unwritable);
    }
  }

  @Override
  public Object getNullableResult(ResultSet result, String column) {
    throw new UnsupportedOperationException("rows are a parameter");
  }

  @Override
  public Object getNullableResult(ResultSet result, int column) {
    throw new UnsupportedOperationException("rows are a parameter");
  }

  @Override
  public Object getNullableResult(CallableStatement statement, int column) {
    throw new UnsupportedOperationException("rows are a parameter");
  }
}

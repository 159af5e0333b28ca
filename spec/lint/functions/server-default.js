// What the server takes for a value that is not given: a value of the property's own schema, or words on how it is found.
export default function serverDefault(input) {
  const value = input['x-server-default'];
  const schema = input.schema ?? input;
  if (typeof value === 'string' && schema.type !== 'string') {
    return isJson(value) ? [{ message: 'write the value without quotes' }] : [];
  }
  const results = fits(value, schema) ? [] : [{ message: `${value} is not one of the values that may be sent` }];
  const described = /Defaults to `?([^`.,;]+)/.exec(input.description)?.[1];
  if (described !== String(value)) {
    results.push({ message: `write "Defaults to ${value}" in the description` });
  }
  return results;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch (notJson) {
    return false;
  }
}

function fits(value, schema) {
  if (schema.type === 'integer') {
    return Number.isInteger(value) && !(value < schema.minimum) && !(value > schema.maximum);
  }
  return typeof value === schema.type;
}

import { schema as matches } from '@stoplight/spectral-functions';

// Takes a named schema: what is sent must match `sent`, what is only answered must match `answered`, each a JSON Schema.
export default function schemaOneWay(input, { sent, answered }, context) {
  const document = context.document.data;
  const name = context.path.at(-1);
  const inRequests = named(document, (operation) => operation.requestBody);
  const inAnswers = named(document, (operation) => operation.responses);
  if (sent && inRequests.has(name)) {
    return matches(input, { schema: sent, allErrors: true }, context);
  }
  if (answered && inAnswers.has(name) && !inRequests.has(name)) {
    return matches(input, { schema: answered, allErrors: true }, context);
  }
}

function named(document, bodyOf) {
  const names = new Set();
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  operations.forEach((operation) => collect(document, bodyOf(operation), names));
  return names;
}

function collect(document, node, names) {
  if (node === null || typeof node !== 'object') {
    return;
  }
  if (typeof node.$ref === 'string') {
    const [, , kind, name] = node.$ref.split('/');
    if (kind !== 'schemas' || !names.has(name)) {
      if (kind === 'schemas') {
        names.add(name);
      }
      collect(document, document.components[kind][name], names);
    }
  }
  Object.values(node).forEach((child) => collect(document, child, names));
}

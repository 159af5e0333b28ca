const PROTOBUF = 'application/x-protobuf';

// Takes the content of a body. Bytes that are handed through have the one format they were sent in.
export default function bothFormats(input, { json }) {
  const types = Object.keys(input ?? {});
  const areBytes = types.length === 1 && input[types[0]].schema?.format === 'binary';
  if (!areBytes && String(types) !== String([json, PROTOBUF])) {
    return [{ message: `it is offered in ${types.join(', ') || 'none'}` }];
  }
}

// Takes a schema that is a Protobuf message. A number that was given up stays taken, in x-protobuf-reserved.
export default function fieldNumbers(input) {
  const numbers = Object.values(input.properties).map((property) => property['x-protobuf-index']);
  const taken = [...numbers, ...(input['x-protobuf-reserved'] ?? [])].sort((a, b) => a - b);
  const expected = taken.map((_, index) => index + 1);
  if (!taken.every(Number.isInteger) || String(taken) !== String(expected)) {
    return [{ message: `the numbers are ${numbers.map((number) => JSON.stringify(number) ?? 'none').join(', ')}` }];
  }
}

// Takes a schema with a set of values: each has one number of its own, above 0, which Protobuf keeps for "not given".
export default function enumNumbers(input) {
  const values = input.enum ?? input['x-extensible-enum'];
  const numbered = input['x-protobuf-enum'] ?? {};
  const numbers = Object.values(numbered);
  if (String(Object.keys(numbered)) !== String(values)) {
    return [{ message: `the values are ${values.join(', ')}, those with a number ${Object.keys(numbered).join(', ') || 'none'}` }];
  }
  if (new Set(numbers).size !== numbers.length || !numbers.every((number) => Number.isInteger(number) && number > 0)) {
    return [{ message: `the numbers are ${numbers.join(', ')}` }];
  }
}

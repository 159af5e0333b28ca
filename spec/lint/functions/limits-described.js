const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

// Takes a property or a parameter: its limits stand in itself, in its schema or in the items of a list.
export default function limitsDescribed(input) {
  const description = String(input.description);
  const numbers = new Set(description.match(/-?\d+/g));
  const places = [input, input.schema, input.items].filter(Boolean);
  const missing = places.flatMap((place) => LIMITS.filter((limit) => limit in place && !numbers.has(String(place[limit]))));
  const results = missing.map((limit) => ({ message: `say the ${limit}` }));
  if (places.some((place) => 'maxLength' in place) && !description.includes('characters')) {
    results.push({ message: 'say that the length is in characters' });
  }
  return results;
}

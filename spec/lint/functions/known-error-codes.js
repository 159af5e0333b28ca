// Takes an operation. The list of all codes is that of the Problem.
export default function knownErrorCodes(input, _, context) {
  const known = context.document.data.components?.schemas?.Problem?.properties?.code?.['x-extensible-enum'] ?? [];
  const codes = Object.keys(input['x-error-codes'] ?? {});
  if (codes.length === 0) {
    return [{ message: 'it lists none' }];
  }
  return codes.filter((code) => !known.includes(code)).map((code) => ({ message: `${code} is none of them` }));
}

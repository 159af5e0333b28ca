export default function tagUsed(input, _, context) {
  const operations = Object.values(context.document.data.paths).flatMap((path) => Object.values(path));
  if (!operations.some((operation) => operation.tags?.includes(input.name))) {
    return [{ message: `${input.name} is on none` }];
  }
}

// A description of a word or two repeats the name; a reader needs a sentence.
const WORDS_MIN = 3;

// Takes a text, or what has one as its description.
export default function described(input) {
  const text = String(typeof input === 'string' ? input : input.description ?? '').trim();
  if (text.split(/\s+/).length < WORDS_MIN || !text.endsWith('.')) {
    return [{ message: `"${text}"` }];
  }
}

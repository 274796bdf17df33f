/** Whether a text has at most this many characters. A surrogate pair counts as one character. */
export function isWithin(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= 2 * characters && [...text].length <= characters;
}

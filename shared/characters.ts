/** Whether a text has at most so many characters, as people count them: one outside the basic plane is one. */
export function isWithin(text: string, characters: number): boolean {
  if (text.length <= characters) return true;
  return text.length <= 2 * characters && [...text].length <= characters;
}

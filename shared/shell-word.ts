/** Characters that a terminal or an editor obeys, or that nobody sees. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * A word that can be copied to a shell (bash, zsh), whatever characters it holds. It stays one word with exactly these
 * characters, and what cannot be seen is written as an escape sequence, so that a paste runs what was read.
 */
export function shellWord(word: string): string {
  if (/^[\w.:/][\w.:/-]*$/.test(word)) return word;
  if (!hidden.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${[...word].map(escaped).join("")}'`;
}

/** Some shells expand "!" also between these quotes. */
function escaped(character: string): string {
  if (character === "\\" || character === "'") return `\\${character}`;
  if (character !== "!" && !hidden.test(character)) return character;
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

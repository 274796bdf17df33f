/** Characters that a terminal or an editor interprets, or that are invisible. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Quotes a word for a shell (bash, zsh), whatever characters it has. It stays one word with exactly these characters.
 * Invisible characters become escape sequences, so that a paste runs exactly what was read.
 */
export function shellWord(word: string): string {
  if (/^[\w.:/][\w.:/-]*$/.test(word)) return word;
  if (!hidden.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${[...word].map(escaped).join("")}'`;
}

/** Some shells expand "!" even inside these quotes. */
function escaped(character: string): string {
  if (character === "\\" || character === "'") return `\\${character}`;
  if (character !== "!" && !hidden.test(character)) return character;
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

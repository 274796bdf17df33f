/**
 * Returns 64 hex digits that follow from the texts, for test events. It is FNV-1a, once for each eighth of the digits, and
 * not a cryptographic hash, so that the package needs no module of Node.
 */
export function hexOf(...texts: readonly string[]): string {
  const text = JSON.stringify(texts);
  return Array.from({ length: 8 }, (_item, part) => hashOf(`${part}${text}`)).join("");
}

function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

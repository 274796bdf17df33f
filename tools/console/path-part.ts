/**
 * Encodes one part of a path, such as an order number, which may contain any character. A browser resolves "." and ".."
 * even when they are escaped, so these get a prefix.
 */
export function encodePathPart(text: string): string {
  return encodeURIComponent(/^~*\.{1,2}$/.test(text) ? `~${text}` : text);
}

/** Undefined if it is not escaped correctly. */
export function decodePathPart(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return /^~+\.{1,2}$/.test(text) ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

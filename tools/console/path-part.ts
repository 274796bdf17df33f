/**
 * One part of a path, such as an order number, which may hold anything. A browser takes "." and "..", also when they are
 * escaped, for this folder and the one above, so these get a mark in front.
 */
export function encodePathPart(text: string): string {
  return encodeURIComponent(/^~*\.{1,2}$/.test(text) ? `~${text}` : text);
}

/** Undefined if it is not escaped properly. */
export function decodePathPart(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return /^~+\.{1,2}$/.test(text) ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

/** The value of a JSON text, or undefined if it is not JSON. The parser's own error would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

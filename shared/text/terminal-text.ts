const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] };

type Colour = keyof typeof codes;
export type Colours = Readonly<Record<Colour, (text: string) => string>>;

export function createColours(enabled: boolean): Colours {
  const paint = (colour: Colour) => {
    const [on, off] = codes[colour];
    return (text: string) => (enabled ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
  };
}

/** Colours on a terminal only, and not if the user has set NO_COLOR. */
export function coloursFor(
  stream: { readonly isTTY?: boolean },
  { NO_COLOR: noColour }: NodeJS.ProcessEnv,
): Colours {
  return createColours(stream.isTTY === true && !noColour);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with this character.
const colourCode = /\u001b\[\d+m/g;

/** How many columns a text takes, without its colours. */
export function widthOf(text: string): number {
  return [...text.replace(colourCode, "")].length;
}

/**
 * Untrusted text may contain control characters, which a terminal would execute. Keeps only the colours that this
 * project writes.
 */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Bidi_Control}/gu, (character, at: number) =>
    isOwnColour(text.slice(at, at + 5)) ? character : "\ufffd",
  );
}

/** The same for several lines: line breaks stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** Untrusted text before it gets a colour: nothing in it can change the terminal, not even a colour. */
export function harmless(text: string): string {
  return text.replace(/\p{Cc}|\p{Bidi_Control}/gu, "\ufffd");
}

function isOwnColour(text: string): boolean {
  return text.startsWith("\u001b") && /^\[(1|2|22|3[1239])m/.test(text.slice(1));
}

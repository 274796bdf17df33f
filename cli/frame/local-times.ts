import type { Terminal } from "./command.ts";

/** The option of every command that shows times. */
export const localTimeOption = { "local-time": { type: "boolean" } } as const;

/** What follows a time in a column: how long ago it was, and the gap to the next column. */
const utcTime =
  /(?<!["'\w])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)Z(?!["'\w])( \([^()\n]*\))?( {2})?/g;

/**
 * A terminal on which every time that the command writes is in the zone of this machine. What stands in quotes is not the
 * command's own, such as the content of a callback, and stays as it came.
 */
export function inLocalTime(terminal: Terminal): Terminal {
  terminal.err(`Times are local: ${new Intl.DateTimeFormat().resolvedOptions().timeZone}\n`);
  return {
    ...{ outBytes: terminal.outBytes, errIsTty: terminal.errIsTty, colours: terminal.colours },
    out: (text) => terminal.out(withLocalTimes(text)),
    err: (text) => terminal.err(withLocalTimes(text)),
    // Who reads it ends in order at Ctrl-C, so it is read only if the command reads it.
    get stopped() {
      return terminal.stopped;
    },
  };
}

/** "2026-11-15T10:22:45Z" becomes "2026-11-15 11:22:45". It is one character shorter, which the gap to the next column gets. */
export function withLocalTimes(text: string): string {
  return text.replaceAll(utcTime, (whole, utc: string, ago = "", gap = "") => {
    const time = new Date(`${utc}Z`);
    if (Number.isNaN(time.getTime())) return whole;
    const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
    const local = shifted.slice(0, utc.length).replace("T", " ");
    return `${local}${ago}${gap === "" ? "" : `${gap} `}`;
  });
}

import { coloursFor } from "../../../shared/text/terminal-text.ts";
import type { Terminal } from "./command.ts";

/**
 * The terminal of this process. A command that reads `stopped` ends in order at the first Ctrl-C, and a second one ends
 * the process; any other command ends at the first. If the output is closed, as with `| head`, the work ends
 * in order, too.
 */
export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const stop = new AbortController();
  for (const stream of [stdout, stderr]) stream.on("error", () => stop.abort());
  let isHandled = false;
  const handleSignal = () => {
    if (!isHandled) process.once("SIGINT", () => stop.abort());
    isHandled = true;
  };
  return {
    out: (text) => write(stdout, text),
    outBytes: (bytes) => write(stdout, bytes),
    err: (text) => write(stderr, text),
    errIsTty: stderr.isTTY === true,
    colours: coloursFor(stdout, env),
    leave: (code) => process.exit(code),
    get stopped() {
      handleSignal();
      return stop.signal;
    },
  };
}

function write(stream: NodeJS.WriteStream, text: string | Uint8Array): void {
  if (stream.writable) stream.write(text);
}

/** What follows a time in a column: how long ago it was, and the gap to the next column. */
const utcTime =
  /(?<!["'\w])(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)Z(?!["'\w])( \([^()\n]*\))?( {2})?/g;

/**
 * A terminal on which every time that the command writes is in the zone of this machine. Text in quotes is not the
 * command's own, such as the content of a callback, and stays unchanged.
 */
export function inLocalTime(terminal: Terminal): Terminal {
  terminal.err(`Times are local: ${new Intl.DateTimeFormat().resolvedOptions().timeZone}\n`);
  return {
    outBytes: terminal.outBytes,
    errIsTty: terminal.errIsTty,
    colours: terminal.colours,
    leave: terminal.leave,
    out: (text) => terminal.out(withLocalTimes(text)),
    err: (text) => terminal.err(withLocalTimes(text)),
    // A command that reads `stopped` ends in order at Ctrl-C, so it is read only if the command reads it.
    get stopped() {
      return terminal.stopped;
    },
  };
}

/**
 * "2026-11-15T10:22:45Z" becomes "2026-11-15 11:22:45". It is one character shorter, which the gap to the next column
 * gets.
 */
export function withLocalTimes(text: string): string {
  return text.replaceAll(utcTime, (whole, utc: string, ago = "", gap = "") => {
    const time = new Date(`${utc}Z`);
    if (Number.isNaN(time.getTime())) return whole;
    const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
    const local = shifted.slice(0, utc.length).replace("T", " ");
    return `${local}${ago}${gap === "" ? "" : `${gap} `}`;
  });
}

const clearLine = "\r\u001b[K";
const intervalMilliseconds = 200;

export interface Progress {
  readonly tell: (text: string) => void;
  readonly end: () => void;
}

/** One line on a terminal that is overwritten; nothing if the output is not a terminal. */
export function createProgress({ err, errIsTty }: Terminal): Progress {
  if (!errIsTty) return { tell: () => {}, end: () => {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    tell: (text) => {
      if (Date.now() - shownAt < intervalMilliseconds) return;
      shownAt = Date.now();
      err(`${clearLine}${text}`);
    },
    end: () => err(clearLine),
  };
}

import { coloursFor } from "../../shared/terminal-text.ts";
import type { Terminal } from "./command.ts";

/**
 * The terminal of this process. A command that reads `stopped` ends in order at the first Ctrl-C, and a second one ends
 * the process; any other command ends at the first. If nobody reads the output any more, as with `| head`, the work ends
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
    get stopped() {
      handleSignal();
      return stop.signal;
    },
  };
}

function write(stream: NodeJS.WriteStream, text: string | Uint8Array): void {
  if (stream.writable) stream.write(text);
}

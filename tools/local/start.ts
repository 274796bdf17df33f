import { coloursFor } from "../../shared/text/terminal-text.ts";
import { explainStartError } from "./explain-start-error.ts";
import { greet } from "./greeting.ts";
import { help, readLocalOptions } from "./local-options.ts";
import { startLocal } from "./start-local.ts";
import { stopOnSignal } from "./stop-on-signal.ts";

/** `npm start`. */
async function main(): Promise<void> {
  const options = readLocalOptions(process.argv.slice(2), process.env);
  if (options === "help") {
    console.log(help);
    return;
  }
  const startedMilliseconds = performance.now();
  const colours = coloursFor(process.stdout, process.env);
  console.log("Building the functions and the template, and starting the emulators …");
  const print = (line: string, atMilliseconds: number) =>
    console.log(`${colours.dim(clockTime(atMilliseconds))}  ${line}`);
  const starting = startLocal(options, print, colours);
  // Until everything is running, the data of an earlier start is still in its files.
  let isRunning = false;
  stopOnSignal({
    stop: async () => await (await starting).stop(),
    hasDataToKeep: () => options.keepData && isRunning,
    print: console.log,
  });
  const { description, config } = await starting;
  isRunning = true;
  const seconds = (performance.now() - startedMilliseconds) / 1_000;
  console.log(greet({ description, config, directory: options.directory, seconds }));
}

/** In UTC, like all times in the command and the console. */
function clockTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 19);
}

try {
  await main();
} catch (error) {
  console.error(explainStartError(error) ?? error);
  process.exit(1);
}

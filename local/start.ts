import { coloursFor } from "../shared/terminal-text.ts";
import { explainError } from "./explain-error.ts";
import { greet } from "./greeting.ts";
import { help, readLocalOptions } from "./local-options.ts";
import { type LocalStack, startLocal } from "./start-local.ts";

/** After this time the process ends even if a part has not stopped. */
const lastResortMilliseconds = 1_800;

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
  const print = (line: string) => console.log(`${colours.dim(clockTime())}  ${line}`);
  const starting = startLocal(options, print, colours);
  stopOnSignal(starting);
  const { description, config } = await starting;
  const seconds = (performance.now() - startedMilliseconds) / 1_000;
  console.log(greet({ description, config, directory: options.directory, seconds }));
}

/** The first signal stops everything in order. A second signal ends the process at once. */
function stopOnSignal(starting: Promise<LocalStack>): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => process.exit(1), lastResortMilliseconds).unref();
    starting
      .then((stack) => stack.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
}

function clockTime(): string {
  return new Date().toTimeString().slice(0, 8);
}

try {
  await main();
} catch (error) {
  console.error(explainError(error) ?? error);
  process.exit(1);
}

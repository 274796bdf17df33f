import { relative } from "node:path";
import type { LocalDescription } from "../operations/target/local-description.ts";
import { PaycastError } from "../shared/paycast-error.ts";
import { descriptionFile } from "./description-file.ts";
import { help, type LocalOptions, readLocalOptions } from "./local-options.ts";
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
  console.log("Building the functions and the template, and starting the emulators …");
  const starting = startLocal(options, (line) => console.log(`${clockTime()}  ${line}`));
  stopOnSignal(starting);
  const { description } = await starting;
  console.log(greeting(description, options, (performance.now() - startedMilliseconds) / 1_000));
}

function greeting(description: LocalDescription, options: LocalOptions, seconds: number): string {
  const { api, gateway, queues, merchants } = description;
  return `
Paycast runs on this machine. It was ready after ${seconds.toFixed(1)} s. Ctrl-C stops it.

  Storefront API     ${api}  (accepts unsigned calls; the deployed one does not)
  Callbacks          ${api}/callbacks
  Payment service    ${gateway}
  Merchants          ${merchants.map(({ merchantId }) => merchantId).join(", ")}
  Subscribers        ${Object.keys(queues.subscribers).join(", ")}

  Everything else    ${descriptionFile(relative(process.cwd(), options.directory))}
`;
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

function advise(error: PaycastError): string {
  if (error.code !== "local-port-taken") return error.message;
  return `${error.message} Choose another port, for example: PORT=4000 npm start`;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof PaycastError ? advise(error) : error);
  process.exit(1);
}

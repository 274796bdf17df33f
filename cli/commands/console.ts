import { once } from "node:events";
import type { FindTarget } from "../../console/keep-target.ts";
import { type RunningConsole, startConsole } from "../../console/start-console.ts";
import { findTarget } from "../../operations/target/find-target.ts";
import { readLocalDescription } from "../../operations/target/local-description.ts";
import { type Target, targetText } from "../../operations/target/target.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { chosenStack } from "../frame/choose-stack.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  exitCodesText,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { parseOptions } from "../frame/parse-options.ts";
import { dataDirectory, print, targetHelp, targetOptions } from "../frame/target-command.ts";

const options = {
  ...targetOptions,
  "allow-changes": { type: "boolean" },
  port: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>;

/** `npx paycast console`: the page that shows a stack, in a browser on this machine. */
export const console: Command = {
  help: `Usage: npx paycast console --stack NAME [--allow-changes] [--port N]
       npx paycast console

Serves a page about a deployed stack on 127.0.0.1, with your AWS credentials, until Ctrl-C: the flow of callbacks,
orders, quarantine, subscribers and keys. It only reads, unless you allow changes. Open the address that it prints:
the token in it is new at each start, and everybody who has it can use the page.
Without a stack, it prints the address of the local stack's console, which npm start serves. That token is kept.

Options
  --allow-changes     let the page redrive, dismiss and replay. Each change is shown first, and leaves an audit line
  --port N            the port; without it 3102, or any free one if that is taken
${targetHelp.replace("print the result as JSON", 'print {"url": ...} in place of the text')}

Examples
  npx paycast console --stack Paycast
  npx paycast console --stack Paycast --allow-changes --port 8080
  npx paycast console

${exitCodesText}
`,
  run: async (args, terminal) => {
    const values = parseOptions(args, options);
    const stack = chosenStack(values);
    return stack === undefined
      ? await showLocal(values, terminal)
      : await serve(stack, values, terminal);
  },
};

/** The stack is found before anything is served: a wrong name or a missing permission is one clear message. */
async function serve(stack: string, values: Values, terminal: Terminal): Promise<ExitCode> {
  const port = portOf(values);
  const canChange = values["allow-changes"] === true;
  const directory = dataDirectory();
  const found = await findTarget({ stack, directory });
  const findAgain = keepFirst(found, (clients) => findTarget({ stack, directory, clients }));
  const running = await listen(port, (at) =>
    startConsole({ port: at, findTarget: findAgain, canChange }),
  );
  const may = canChange ? "It may change the stack." : "It only reads.";
  print(terminal, values, { url: running.url }, () => {
    return `The console of ${targetText(found)}: ${running.url}\n${may} Ctrl-C ends it.\n`;
  });
  if (!terminal.stopped.aborted) await once(terminal.stopped, "abort");
  await running.stop();
  found.clients.destroy();
  return exitCodes.success;
}

/** The first page need not wait until the stack is found a second time. */
function keepFirst(first: Target, find: FindTarget): FindTarget {
  let unused: Target | undefined = first;
  return async (clients) => {
    const target = unused;
    unused = undefined;
    return target ?? (await find(clients));
  };
}

const usualPort = 3102;

/** Throws `UsageError`. */
function portOf({ port }: Values): number | undefined {
  if (port === undefined) return undefined;
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  if (isPort) return Number(port);
  throw new UsageError("--port needs a number from 1 to 65535.");
}

/** A port that was asked for is the only one that will do. */
async function listen(
  port: number | undefined,
  start: (port: number) => Promise<RunningConsole>,
): Promise<RunningConsole> {
  try {
    return await start(port ?? usualPort);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (port === undefined) return await start(0);
    throw new UsageError(`Port ${port} cannot be used. Take another one, or leave --port out.`);
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE" || code === "EACCES";
}

async function showLocal(values: Values, terminal: Terminal): Promise<ExitCode> {
  if (values["allow-changes"] === true || values.port !== undefined) {
    throw new UsageError("--allow-changes and --port go with --stack NAME.");
  }
  const { console: url } = await readLocalDescription(dataDirectory());
  await fetch(new URL("/page.css", url)).catch(() => {
    throw new PaycastError("target-not-found", notAnswering);
  });
  print(terminal, values, { url }, () => `npm start serves the console: ${url}\n`);
  return exitCodes.success;
}

const notAnswering =
  "The console of the local stack does not answer. If it was stopped, start it again with npm start.";

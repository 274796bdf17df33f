import { once } from "node:events";
import * as z from "zod";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { type RunningConsole, startConsole } from "../../console/start-console.ts";
import { findTarget } from "../../operations/find-target.ts";
import { readLocalDescription } from "../../operations/local-stack/local-description.ts";
import { stackText } from "../../operations/ports/stack.ts";
import { chosenStack, print, type Terminal, UsageError } from "../frame/command.ts";
import { type ExitCode, exitCodes } from "../frame/exit-codes.ts";
import { type Frame, ownCommand } from "../frame/read-arguments.ts";
import { dataDirectory } from "../frame/target-command.ts";

const input = z.object({
  port: z.coerce
    .number("must be a number from 1 to 65535")
    .int("must be a number from 1 to 65535")
    .min(1)
    .max(65_535)
    .optional()
    .meta({ description: "the port, by default 3102 or any free port", placeholder: "N" }),
});

type Asked = z.output<typeof input>;

/** `npx paycast console`: the page that shows a stack, in a browser on this machine. */
export const console = ownCommand(
  {
    name: "console",
    about: [
      "Serves the console of a deployed stack on 127.0.0.1 with your AWS credentials, until Ctrl-C. It is the same page that npm start serves for the local stack. On a deployed stack it only reads: for changes it shows the command to copy.",
    ],
    examples: ["console --stack Paycast", "console --stack Paycast --port 8080", "console"],
  },
  {
    summary:
      "Open the address that it prints; with --json it is { url }. Anyone who has the token in the address can use the page. The token is new at each start. Without --stack it prints the address of the local stack's console.",
    input,
    run: async (asked, frame, terminal) => {
      const stack = chosenStack(frame);
      return stack === undefined
        ? await showLocal(asked, frame, terminal)
        : await serve(stack, asked, frame, terminal);
    },
  },
);

/** The stack is found before anything is served: a wrong name or a missing permission is one clear message. */
async function serve(
  stack: string,
  { port }: Asked,
  frame: Frame,
  terminal: Terminal,
): Promise<ExitCode> {
  const directory = dataDirectory();
  const found = await findTarget({ stack, directory });
  const findFound = async () => found;
  const running = await listen(port, (at) => startConsole({ port: at, findTarget: findFound }));
  print(terminal, frame, { url: running.url }, () => {
    return `The console of ${stackText(found.stack)}: ${running.url}\nIt only reads. Ctrl-C ends it.\n`;
  });
  if (!terminal.stopped.aborted) await once(terminal.stopped, "abort");
  await running.stop();
  found.close();
  return exitCodes.success;
}

const usualPort = 3102;

/** If the user gives a port, only that one is used. */
async function listen(
  port: number | undefined,
  start: (port: number) => Promise<RunningConsole>,
): Promise<RunningConsole> {
  try {
    return await start(port ?? usualPort);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if (port === undefined) return await start(0);
    throw new UsageError(`Port ${port} cannot be used. Choose another one, or omit --port.`);
  }
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EADDRINUSE" || code === "EACCES";
}

async function showLocal({ port }: Asked, frame: Frame, terminal: Terminal): Promise<ExitCode> {
  if (port !== undefined) throw new UsageError("--port works only with --stack NAME.");
  const { console: url } = await readLocalDescription(dataDirectory());
  await fetch(new URL("/page.css", url)).catch(() => {
    throw new PaycastError("target-not-found", notAnswering);
  });
  print(terminal, frame, { url }, () => `npm start serves the console: ${url}\n`);
  return exitCodes.success;
}

const notAnswering =
  "The console of the local stack does not respond. If it was stopped, start it again with npm start.";

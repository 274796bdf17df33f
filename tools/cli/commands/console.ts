import { once } from "node:events";
import * as z from "zod";
import { PaycastError } from "../../../shared/paycast-error.ts";
import { type FindTarget, type RunningConsole, startConsole } from "../../console/start-console.ts";
import { findTarget } from "../../operations/target/find-target.ts";
import { readLocalDescription } from "../../operations/target/local-target.ts";
import { type Target, targetText } from "../../operations/target/target.ts";
import {
  chosenStack,
  type ExitCode,
  exitCodes,
  print,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { type Frame, ownCommand } from "../frame/read-arguments.ts";
import { dataDirectory } from "../frame/target-command.ts";

const input = z.object({
  port: z.coerce
    .number("must be a number from 1 to 65535")
    .int("must be a number from 1 to 65535")
    .min(1)
    .max(65_535)
    .optional()
    .meta({ description: "the port; without it 3102, or any free one", placeholder: "N" }),
});

type Asked = z.output<typeof input>;

/** `npx paycast console`: the page that shows a stack, in a browser on this machine. */
export const console = ownCommand(
  {
    name: "console",
    about: [
      "Serves the page about a deployed stack on 127.0.0.1, with your own AWS credentials, until Ctrl-C: the flow of callbacks, orders, requests, attention, subscribers with their dead letters, replay, and keys. It is the same page that npm start serves for the local stack. On a deployed stack it only reads: where something can be done, it shows the command, filled in, to copy.",
    ],
    examples: ["console --stack Paycast", "console --stack Paycast --port 8080", "console"],
  },
  {
    summary:
      "Open the address that it prints; with --json it is { url }. The token in it is new at each start, and everybody who has it can use the page. Without a stack, it prints the address of the local stack's console, whose token is kept.",
    promises: [
      "The local console's token is in `.paycast/console-token`, which only its owner may read. Delete that file to get a new one.",
      `What it promises:

- It listens on 127.0.0.1 only, answers only at its own address, takes changes only from its own page, and wants the token of the address. Everybody with the token can read what your credentials may read, so do not share the address.
- On a deployed stack it changes nothing. The commands that it shows name the stack, and every value in them is quoted for bash and zsh.
- On the local stack a change is done only after a yes, once, and leaves the same audit line as the command.
- It shows no key. Keys are changed with \`npx paycast keys\`, because they come from files; the page shows the command.
- Dead letters are looked at when somebody asks, not at every change, because a look counts as a receive. All open pages share a look, and looks and redrives of one queue wait for each other. The page says when it was looked.
- A replay that is stopped or fails ends with the command that continues it.
- A missing permission is named where it is missing, and the rest is shown.`,
      "What it does not promise: the page of a deployed stack looks again every ten seconds while it is visible, and CloudWatch's counts are some minutes behind. Each of these looks is some calls of SQS and DynamoDB. CloudWatch charges for each metric that `GetMetricData` is asked for. All open pages together ask once a minute: for ten counts, and for the age of each queue. With three subscribers that is 14 metrics a minute, about 20,000 a day. With another range than the hour, the counts are asked for twice. The requests are read from CloudWatch Logs when somebody opens that view, not again by themselves. Close the page when you do not need it.",
    ],
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
  const findAgain = keepFirst(found, (clients) => findTarget({ stack, directory, clients }));
  const running = await listen(port, (at) => startConsole({ port: at, findTarget: findAgain }));
  print(terminal, frame, { url: running.url }, () => {
    return `The console of ${targetText(found)}: ${running.url}\nIt only reads. Ctrl-C ends it.\n`;
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

async function showLocal({ port }: Asked, frame: Frame, terminal: Terminal): Promise<ExitCode> {
  if (port !== undefined) throw new UsageError("--port goes with --stack NAME.");
  const { console: url } = await readLocalDescription(dataDirectory());
  await fetch(new URL("/page.css", url)).catch(() => {
    throw new PaycastError("target-not-found", notAnswering);
  });
  print(terminal, frame, { url }, () => `npm start serves the console: ${url}\n`);
  return exitCodes.success;
}

const notAnswering =
  "The console of the local stack does not answer. If it was stopped, start it again with npm start.";

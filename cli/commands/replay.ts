import { parseArgs } from "node:util";
import {
  finishedReport,
  replay as group,
  list,
  listInput,
  reportRuns,
  send,
} from "../../operations/replay/replay.ts";
import { isFinished, loadRun, type Run, runsOf } from "../../operations/replay/run.ts";
import { type Command, type ExitCode, type Terminal, UsageError } from "../frame/command.ts";
import { commandOf, tellReport } from "../frame/described-command.ts";
import { readArguments } from "../frame/read-arguments.ts";
import { dataDirectory } from "../frame/target-command.ts";

const command = commandOf(group);

export const replay: Command = {
  ...command,
  run: async (args, terminal) => {
    const [verb, ...rest] = args;
    if (verb === list.verb) return await listHere(rest, terminal);
    const { resume, stack, local } = parseArgs({ args: [...args], options, strict: false }).values;
    const run = typeof resume === "string" ? await findRun(resume) : undefined;
    if (run === undefined) return await command.run(args, terminal);
    const own = run.target.kind === "deployed" ? run.target.name : undefined;
    if ((stack !== undefined && stack !== own) || (local === true && own !== undefined)) {
      throw new UsageError("The run was started on another stack. Leave --stack and --local out.");
    }
    const { asked, frame } = await readArguments(send, args);
    const isAlone = Object.keys(asked).every((name) => name === "resume" || name === "rate");
    if (isFinished(run) && isAlone) return tellReport(frame, terminal, finishedReport(run), true);
    // The run knows its stack, whatever PAYCAST_STACK says.
    const isSaid = stack !== undefined || local === true;
    const where = own === undefined ? ["--local"] : ["--stack", own];
    return await command.run(isSaid ? args : [...args, ...where], terminal);
  },
};

const options = {
  resume: { type: "string" },
  stack: { type: "string" },
  local: { type: "boolean" },
} as const;

const runsHere = () => runsOf({ directory: dataDirectory() });

async function findRun(id: string): Promise<Run | undefined> {
  return await loadRun(runsHere(), id).catch(() => undefined);
}

async function listHere(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { asked, frame } = await readArguments(list, args);
  const { to } = listInput.parse(asked);
  const isWanted = ({ subscriber }: Run) => to === undefined || subscriber === to;
  return tellReport(frame, terminal, await reportRuns(runsHere(), isWanted));
}

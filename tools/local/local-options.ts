import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { fastestSpeed } from "../simulator/service/clock.ts";
import type { EmulatorPorts } from "./aws/start-emulators.ts";

export const help = `npm start -- [options]

Runs all of Paycast on this machine: the stack that "npx cdk deploy" deploys, on emulated AWS services, and a
payment service simulator. Ctrl-C stops everything.

  --keep            keep orders (including the payment service's), messages and secrets for the next start with --keep;
                    Ctrl-C then waits until they are written, a second Ctrl-C does not
  --watch           rebuild and reload functions when their source changes ("npm run dev")
  --verbose         also print requests, batches, schedules and the functions' log lines
  --config FILE     use this stack config instead of infra/paycast.config.json
  --help            print this text

  PORT                        port of the API (3000); the payment service uses PORT+1, the console PORT+2, and SQS,
                              DynamoDB and Secrets Manager PORT+3 to PORT+5. "npm run shop" uses PORT+9. 0 uses any
                              free ports
  PAYCAST_CONFIG              like --config
  PAYCAST_CLOCK_SPEED         simulated seconds per real second at the payment service (1)
  PAYCAST_DIRECTORY           folder for keys, kept data and local.json (.paycast)
  PAYCAST_DYNAMODB_ENDPOINT   address of a running DynamoDB emulator, used instead of starting one
  NO_COLOR                    if set, no colours
`;

export interface LocalOptions {
  readonly port: number;
  /** The port of the payment service simulator. */
  readonly gatewayPort: number;
  readonly consolePort: number;
  readonly emulatorPorts: EmulatorPorts;
  readonly clockSpeed: number;
  readonly directory: string;
  readonly configPath: string | undefined;
  readonly keepData: boolean;
  readonly watch: boolean;
  readonly verbose: boolean;
}

/** The offset of the demo shop's port from the API's: the last of the ten ports of one stack. */
export const shopDistance = 9;
export const largestPort = 65_535 - shopDistance;

const flags = {
  keep: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  config: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Reads the command line and the environment. Returns "help" if the user asked for it. */
export function readLocalOptions(
  commandLine: readonly string[],
  environment: NodeJS.ProcessEnv,
): LocalOptions | "help" {
  const given = parseFlags(commandLine);
  if (given.help) return "help";
  const port = readNumber(environment, portVariable);
  const configPath = given.config ?? environment["PAYCAST_CONFIG"];
  return {
    port,
    gatewayPort: after(port, 1),
    consolePort: after(port, 2),
    emulatorPorts: {
      sqs: after(port, 3),
      dynamodb: after(port, 4),
      secretsmanager: after(port, 5),
    },
    clockSpeed: readNumber(environment, clockSpeedVariable),
    directory: resolve(environment["PAYCAST_DIRECTORY"] ?? ".paycast"),
    configPath: configPath === undefined ? undefined : resolve(configPath),
    keepData: given.keep,
    watch: given.watch,
    verbose: given.verbose,
  };
}

/** With port 0 everything uses a free port. */
function after(port: number, distance: number): number {
  return port === 0 ? 0 : port + distance;
}

function parseFlags(commandLine: readonly string[]) {
  try {
    return parseArgs({ args: [...commandLine], options: flags }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${reason.replace(/\.$/, "")}. For help: npm start -- --help`;
    throw new PaycastError("local-options-invalid", message, { cause });
  }
}

interface NumberVariable {
  readonly name: string;
  readonly standard: string;
  readonly schema: z.ZodType<number>;
  /** The valid values, for a person. */
  readonly valid: string;
}

const portVariable: NumberVariable = {
  name: "PORT",
  standard: "3000",
  schema: z.int().min(0).max(largestPort),
  valid: `a number from 1 to ${largestPort}, because the stack uses PORT to PORT+${shopDistance}, or 0 for any free ports`,
};

const clockSpeedVariable: NumberVariable = {
  name: "PAYCAST_CLOCK_SPEED",
  standard: "1",
  schema: z.number().min(0).max(fastestSpeed),
  valid: `a number from 0 to ${fastestSpeed}`,
};

function readNumber(environment: NodeJS.ProcessEnv, variable: NumberVariable): number {
  const { name, standard, schema, valid } = variable;
  const text = environment[name] || standard;
  const parsed = schema.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new PaycastError("local-options-invalid", `${name} cannot be ${text}. Use ${valid}.`);
}

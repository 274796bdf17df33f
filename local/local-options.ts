import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { PaycastError } from "../shared/paycast-error.ts";

export const help = `npm start -- [options]

Runs the whole of Paycast on this machine: the stack that "npx cdk deploy" would deploy, on emulated AWS
services, and a payment service beside it. Ctrl-C ends everything.

  --keep            keep orders, messages and secrets for the next start with --keep
  --watch           load functions anew when their source changes ("npm run dev")
  --verbose         show what the functions log
  --config FILE     another stack config than infra/paycast.config.json
  --help            this text

  PORT                        where the API listens (3000); the payment service is one above it. 0: any free ones
  PAYCAST_CONFIG              like --config
  PAYCAST_CLOCK_SPEED         how much faster the payment service's clock runs (1)
  PAYCAST_DIRECTORY           where keys, kept data and local.json are (.paycast)
  PAYCAST_DYNAMODB_ENDPOINT   a DynamoDB emulator that runs already
`;

export interface LocalOptions {
  readonly port: number;
  /** The payment service's. */
  readonly gatewayPort: number;
  readonly clockSpeed: number;
  readonly directory: string;
  readonly configPath: string | undefined;
  readonly keepData: boolean;
  readonly watch: boolean;
  readonly verbose: boolean;
}

const flags = {
  keep: { type: "boolean", default: false },
  watch: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  config: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** Reads the command line and the environment; "help" if that is all that is wanted. */
export function readLocalOptions(
  commandLine: readonly string[],
  environment: NodeJS.ProcessEnv,
): LocalOptions | "help" {
  const given = parseFlags(commandLine);
  if (given.help) return "help";
  const port = readNumber(environment, "PORT", "3000", z.int().min(0).max(65_534));
  const configPath = given.config ?? environment["PAYCAST_CONFIG"];
  return {
    port,
    gatewayPort: port === 0 ? 0 : port + 1,
    clockSpeed: readNumber(environment, "PAYCAST_CLOCK_SPEED", "1", z.number().min(0)),
    directory: resolve(environment["PAYCAST_DIRECTORY"] ?? ".paycast"),
    configPath: configPath === undefined ? undefined : resolve(configPath),
    keepData: given.keep,
    watch: given.watch,
    verbose: given.verbose,
  };
}

function parseFlags(commandLine: readonly string[]) {
  try {
    return parseArgs({ args: [...commandLine], options: flags }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PaycastError("local-options-invalid", `${reason} See npm start -- --help.`, {
      cause,
    });
  }
}

function readNumber(
  environment: NodeJS.ProcessEnv,
  name: string,
  standard: string,
  schema: z.ZodType<number>,
): number {
  const text = environment[name] || standard;
  const parsed = schema.safeParse(Number(text));
  if (parsed.success) return parsed.data;
  throw new PaycastError("local-options-invalid", `${name} cannot be ${text}.`);
}

import { createServer } from "node:http";
import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { isEndpointGiven } from "./aws/dynamodb.ts";
import { listenOnLoopback } from "./aws/listen-on-loopback.ts";
import { type LocalOptions, largestPort } from "./local-options.ts";

/** A port, and what needs it. */
interface WantedPort {
  readonly number: number;
  readonly user: string;
}

/** Runs first, so that the user gets this error before anything slow starts. */
export async function refuseTakenPorts(options: LocalOptions): Promise<void> {
  if (options.port === 0) return;
  const wanted = wantedPorts(options);
  for (const { number, user } of wanted) {
    const cause = await whyNotFree(number);
    if (cause === undefined) continue;
    const command = options.watch ? "npm run dev" : "npm start";
    const free = await findFreePort(options.port, wanted);
    const message = `${cause.message} It is needed for ${user}.\nTo use other ports: PORT=${free} ${command}`;
    throw new PaycastError("local-port-taken", message, { cause });
  }
}

/** A DynamoDB emulator that the user runs has its own port. */
function wantedPorts({
  port,
  gatewayPort,
  consolePort,
  emulatorPorts,
}: LocalOptions): WantedPort[] {
  const { sqs, dynamodb, secretsmanager } = emulatorPorts;
  return [
    { number: port, user: "the API" },
    { number: gatewayPort, user: "the payment service" },
    { number: consolePort, user: "the console" },
    { number: sqs, user: "SQS" },
    ...(isEndpointGiven(process.env) ? [] : [{ number: dynamodb, user: "DynamoDB" }]),
    { number: secretsmanager, user: "Secrets Manager" },
  ];
}

async function whyNotFree(port: number): Promise<Error | undefined> {
  try {
    const listening = await listenOnLoopback(createServer(), port);
    await listening.stop();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

const step = 10;
const firstChoice = 4_000;

/** The next PORT with which all needed ports are free. */
async function findFreePort(taken: number, wanted: readonly WantedPort[]): Promise<number> {
  for (let port = taken + step; port <= largestPort; port += step) {
    const reasons = await Promise.all(
      wanted.map(({ number }) => whyNotFree(number - taken + port)),
    );
    if (reasons.every((reason) => reason === undefined)) return port;
  }
  return firstChoice;
}

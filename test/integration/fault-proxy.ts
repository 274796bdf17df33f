import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { errorAnswer } from "../../tools/local/aws/aws-error.ts";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import type { Guard } from "../../tools/local/permissions/guard.ts";
import { askForConsumption, type Consumed, consumptionIn } from "./consumption.ts";

export type Service = "sqs" | "dynamodb" | "secretsmanager";
export type Endpoints = Readonly<Record<Service, string>>;

/** One call that a function made to AWS. */
export interface Call {
  readonly service: Service;
  readonly operation: string;
  readonly input: Record<string, unknown>;
  /** Whether the SDK sent it again, because no answer came in time. */
  readonly isRepeat: boolean;
  /** Whether the service got it. */
  arrived: boolean;
  /** What a call to DynamoDB consumed; only if the proxy is asked to measure it. */
  consumed?: readonly Consumed[];
}

export type Fault =
  /** Nothing arrives, and the connection is cut. */
  | { readonly kind: "cut" }
  /** It arrives and is done, but the answer is lost. */
  | { readonly kind: "lose-answer"; readonly after?: () => void }
  /** An error in the shape AWS gives it. */
  | { readonly kind: "refuse"; readonly error: AwsError }
  /** Nothing arrives, and no answer ever comes. */
  | { readonly kind: "stall"; readonly after?: () => void }
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** It arrives when the test says so, unless the function has given it up by then. */
  | { readonly kind: "hold"; readonly until: Promise<void> }
  /** The function dies, before or after the call was carried out; nothing of it gets through any more. */
  | { readonly kind: "die-before" }
  | { readonly kind: "die-after" };

export interface AwsError {
  readonly status: number;
  readonly type: string;
  readonly fields?: Record<string, unknown>;
  /** The message repeats the whole request, as some messages of AWS repeat a part of it. */
  readonly echoes?: boolean;
}

interface Rule {
  readonly matches: (call: Call) => boolean;
  readonly fault: Fault;
  skip: number;
  times: number;
}

export interface FaultProxy {
  readonly endpoint: string;
  readonly calls: Call[];
  /** From now on, what matches meets the fault: after `skip` calls that pass, `times` calls do. Returns what ends it. */
  fail(
    matches: (call: Call) => boolean,
    fault: Fault,
    bounds?: { readonly skip?: number; readonly times?: number },
  ): () => void;
  /** From now on, DynamoDB is asked for the units that each call consumes. */
  meter(): void;
  /** No more faults, except that who is dead stays dead. */
  heal(): void;
  stop(): Promise<void>;
}

export const to =
  (service: Service, operation?: string) =>
  (call: Call): boolean =>
    call.service === service && (operation === undefined || call.operation === operation);

/** A write of whole items: of one alone, or of several in a transaction. */
export const writes = (call: Call): boolean =>
  to("dynamodb", "PutItem")(call) || to("dynamodb", "TransactWriteItems")(call);

/** Of one message or of several. */
export const isSend = ({ operation }: Call): boolean =>
  operation === "SendMessage" || operation === "SendMessageBatch";

export const sendTo =
  (queueUrl: string) =>
  (call: Call): boolean =>
    isSend(call) && call.input["QueueUrl"] === queueUrl;

/** The messages that a call sends. */
export function messagesIn({ input }: Call): readonly Record<string, unknown>[] {
  const { Entries } = input;
  return Array.isArray(Entries) ? Entries : [input];
}

const services: Readonly<Record<string, Service>> = {
  AmazonSQS: "sqs",
  DynamoDB_20120810: "dynamodb",
  secretsmanager: "secretsmanager",
};

/**
 * Stands between functions and the emulators: records the calls and makes them fail on demand. `isBusy` is for a whole
 * stack: its calls are not kept, and pass side by side. With a guard, what it denies does not arrive.
 */
export async function startFaultProxy(
  endpoints: Endpoints,
  onDeath: () => void,
  { isBusy = false, guard }: { isBusy?: boolean; guard?: Guard } = {},
): Promise<FaultProxy> {
  const calls: Call[] = [];
  let rules: Rule[] = [];
  let isDead = false;
  let isMetered = false;
  // One at a time, so that "after the second send" means that the third has not arrived.
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isBusy) return await work();
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return await turn;
  };
  const die = () => {
    isDead = true;
    onDeath();
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const call = readCall(request, body);
    if (isDead) return void request.socket.destroy();
    if (!isBusy) calls.push(call);
    const fault = takeFault(rules, call);
    if (fault?.kind === "stall") return fault.after?.();
    if (fault?.kind === "cut") return void request.socket.destroy();
    if (fault?.kind === "refuse") return refuse(response, fault.error, body);
    if (fault?.kind === "hold") await fault.until;
    if (fault?.kind === "hold" && request.socket.destroyed) return;
    if (fault?.kind === "slow") await new Promise((done) => setTimeout(done, fault.milliseconds));
    const answer = await inTurn(async () => {
      if (fault?.kind === "die-before") die();
      if (isDead) return undefined;
      call.arrived = true;
      const meters = isMetered && call.service === "dynamodb";
      const sent = meters ? askForConsumption(call.input) : body;
      const answered =
        denialOf(guard, request, call) ?? (await forward(endpoints[call.service], request, sent));
      if (meters) call.consumed = consumptionIn(answered.body);
      if (fault?.kind === "die-after") die();
      return answered;
    });
    if (fault?.kind === "lose-answer") fault.after?.();
    if (answer === undefined || isDead || fault?.kind === "lose-answer") {
      return void request.socket.destroy();
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  return {
    endpoint,
    calls,
    fail: (matches, fault, { skip = 0, times = Number.POSITIVE_INFINITY } = {}) => {
      const rule = { matches, fault, skip, times };
      rules.push(rule);
      return () => {
        rules = rules.filter((candidate) => candidate !== rule);
      };
    },
    meter: () => {
      isMetered = true;
    },
    heal: () => {
      rules = [];
    },
    stop,
  };
}

/** What the service answers to a caller who may not do this. */
function denialOf(guard: Guard | undefined, { headers }: IncomingMessage, call: Call) {
  try {
    guard?.check(headers.authorization, () => call);
    return undefined;
  } catch (error) {
    const { text, ...answer } = errorAnswer(call.service, error);
    return { ...answer, body: Buffer.from(text) };
  }
}

/** The proxy as every service: it distinguishes them by their calls. */
export function everywhere(endpoint: string): Endpoints {
  return { sqs: endpoint, dynamodb: endpoint, secretsmanager: endpoint };
}

function takeFault(rules: readonly Rule[], call: Call): Fault | undefined {
  for (const rule of rules.filter(({ matches }) => matches(call))) {
    if (rule.skip > 0) rule.skip -= 1;
    else if (rule.times > 0) {
      rule.times -= 1;
      return rule.fault;
    }
  }
  return undefined;
}

function readCall(request: IncomingMessage, body: Buffer): Call {
  const [prefix = "", operation = ""] = String(request.headers["x-amz-target"]).split(".");
  const service = services[prefix];
  if (service === undefined) throw new Error(`an unknown service is called: ${prefix}`);
  const isRepeat = /^attempt=[2-9]/.test(String(request.headers["amz-sdk-request"]));
  return { service, operation, input: JSON.parse(body.toString()), isRepeat, arrived: false };
}

/** Connections to the emulators stay open for the next call. */
const agent = new Agent({ keepAlive: true });

/** By node:http, because `fetch` takes more CPU time. */
async function forward(endpoint: string, { headers: given }: IncomingMessage, body: Buffer) {
  const { host: _host, connection: _connection, expect: _expect, ...kept } = given;
  const headers = { ...kept, "content-length": body.length };
  const sent = request(endpoint, { agent, method: "POST", headers }).end(body);
  const [answer]: IncomingMessage[] = await once(sent, "response");
  const answered = Object.entries(answer!.headers).filter(([name]) => !hopByHop.includes(name));
  return {
    status: answer!.statusCode!,
    headers: Object.fromEntries(answered),
    body: await readBody(answer!),
  };
}

const hopByHop = ["connection", "keep-alive", "transfer-encoding", "content-length"];

function refuse(response: ServerResponse, error: AwsError, body: Buffer): void {
  const { status, type, fields = {}, echoes = false } = error;
  const message = echoes ? `refused: ${body}` : "refused by the test";
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "x-amzn-errortype": type,
  });
  response.end(JSON.stringify({ __type: type, message, ...fields }));
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

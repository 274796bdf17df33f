import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "./random.ts";

export type Service = "sqs" | "dynamodb" | "secretsmanager";
export type Endpoints = Readonly<Record<Service, string>>;

/**
 * What goes wrong with a call of a function. `throttle`: AWS says "slow down". `stall`: no answer, the call does not
 * arrive. `lose-answer`: the call is done, and its answer is lost. `drop`: the connection is cut before the call
 * arrives. `away`: AWS says that it is not available.
 */
export type Trouble = "throttle" | "stall" | "lose-answer" | "drop" | "away";

interface Rule {
  readonly service: Service;
  readonly trouble: Trouble;
  /** Which of the calls meet it. */
  readonly share: number;
  /** Only calls whose body has this text, such as the URL of a queue. */
  readonly about?: string;
}

/** Ends the function that makes a certain call, just before the call arrives or just after. */
interface Crash {
  readonly operation: string;
  readonly when: "before" | "after";
  readonly crash: () => void;
}

export interface FaultProxy {
  readonly endpoints: Endpoints;
  /** Returns a function that ends it. */
  readonly trouble: (rule: Rule) => () => void;
  /** At the next call of this kind. */
  readonly crashAt: (crash: Crash) => void;
  /** How often each kind of trouble happened. */
  readonly counts: ReadonlyMap<string, number>;
  readonly stop: () => void;
}

const throttled: Readonly<Record<Service, string>> = {
  sqs: "RequestThrottled",
  dynamodb: "ProvisionedThroughputExceededException",
  secretsmanager: "ThrottlingException",
};

/** Stands between the functions and the emulators. What the stack itself does, as Lambda would, goes past it. */
export async function startFaultProxy(upstream: Endpoints, random: Random): Promise<FaultProxy> {
  const rules = new Set<Rule>();
  const crashes: Crash[] = [];
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  async function serve(service: Service, incoming: IncomingMessage, response: ServerResponse) {
    const body = await readAll(incoming);
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const crash = takeCrash(crashes, operation);
    if (crash?.when === "before") return crash.crash();
    const trouble = crash ? undefined : troubleOf(rules, service, body, random);
    if (trouble !== undefined) count(`${service} ${trouble}`);
    if (trouble === "stall") return;
    if (trouble === "drop") return incoming.socket.destroy();
    if (trouble === "throttle") return refuse(response, 400, throttled[service]);
    if (trouble === "away") return refuse(response, 503, "ServiceUnavailable");
    const answer = await forward(upstream[service], incoming, body);
    if (crash !== undefined) return crash.crash();
    if (trouble === "lose-answer") return incoming.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const listen = async (service: Service) => {
    const server = createServer((incoming, response) => {
      serve(service, incoming, response).catch(() => incoming.socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  };
  const servers = {
    sqs: await listen("sqs"),
    dynamodb: await listen("dynamodb"),
    secretsmanager: await listen("secretsmanager"),
  };
  return {
    endpoints: mapValues(servers, (server) => `http://127.0.0.1:${portOf(server.address())}`),
    trouble: (rule) => {
      rules.add(rule);
      return () => rules.delete(rule);
    },
    crashAt: (crash) => void crashes.push(crash),
    counts,
    stop: () => {
      for (const server of Object.values(servers)) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function takeCrash(crashes: Crash[], operation: string): Crash | undefined {
  const index = crashes.findIndex((one) => one.operation === operation);
  return index === -1 ? undefined : crashes.splice(index, 1)[0];
}

function troubleOf(rules: Iterable<Rule>, service: Service, body: Buffer, random: Random) {
  for (const rule of rules) {
    if (rule.service !== service) continue;
    if (rule.about !== undefined && !body.includes(rule.about)) continue;
    if (random.chance(rule.share)) return rule.trouble;
  }
  return undefined;
}

function refuse(response: ServerResponse, status: number, type: string): void {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amzn-errortype": type };
  response.writeHead(status, headers).end(JSON.stringify({ __type: type, message: "on purpose" }));
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

async function forward(endpoint: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { host: _, connection: __, ...headers } = incoming.headers;
  return await new Promise((resolve, reject) => {
    const onward = request(endpoint, { method: "POST", headers }, (answer) => {
      readAll(answer).then((read) => {
        const { "content-type": type = "", "x-amzn-errortype": error } = answer.headers;
        const kept = { "content-type": type, ...(error && { "x-amzn-errortype": String(error) }) };
        resolve({ status: answer.statusCode ?? 502, headers: kept, body: read });
      }, reject);
    });
    onward.once("error", reject).end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

function mapValues<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  map: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(from).map(([name, value]) => [name, map(value)]);
  return Object.fromEntries(entries);
}

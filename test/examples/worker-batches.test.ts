import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import { testEvent } from "../../shared/consumer/test-events.ts";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { findPython } from "../setup/python.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { copyExample } from "./example-project.ts";
import { startWorker } from "./running-worker.ts";

/**
 * A double of the queue chooses the receive counts. It refuses the first call, and gives this batch when the worker cannot
 * write into its book, so that only payments fail and what cannot be read.
 */
const messages = [
  messageOf("a1", "a", 3, JSON.stringify(testEvent("payment.order.success", { sequence: 2 }))),
  messageOf("a2", "a", 1, JSON.stringify(testEvent("payment.order.failed", { sequence: 3 }))),
  messageOf("b1", "b", 1, "not an event"),
  messageOf("b2", "b", 1, JSON.stringify(testEvent("payment.order.failed"))),
  messageOf("b3", "nested", 1, "[".repeat(20_000)),
  messageOf("c1", "c", 1, JSON.stringify(testEvent("payment.order.confirming"))),
  // On its last three receives a message that fails no longer stops its group.
  messageOf("d1", "d", 8, "not an event"),
  messageOf("d2", "d", 8, JSON.stringify(testEvent("payment.order.confirming"))),
  messageOf("e1", "e", 10, JSON.stringify(testEvent("payment.order.success"))),
  messageOf("e2", "e", 2, JSON.stringify(testEvent("payment.order.success", { sequence: 2 }))),
  messageOf("e3", "e", 2, JSON.stringify(testEvent("payment.order.failed", { sequence: 3 }))),
];

/** A group has one pause, which grows and is never 0. Only what was handled is deleted. */
const expected = {
  deleted: ["c1", "d2"],
  givenBack: [
    ["a1", 20],
    ["a2", 20],
    ["b1", 1],
    ["b2", 1],
    ["b3", 1],
    ["d1", 8],
    ["e1", 900],
    ["e2", 900],
    ["e3", 900],
  ],
};

function messageOf(name: string, MessageGroupId: string, receives: number, Body: string) {
  return {
    MessageId: name,
    ReceiptHandle: name,
    Body,
    MD5OfBody: createHash("md5").update(Body).digest("hex"),
    Attributes: { MessageGroupId, ApproximateReceiveCount: String(receives) },
  };
}

const folder = temporaryFolder("batches");

interface Asked {
  readonly ReceiptHandle?: string;
  readonly Entries?: readonly {
    readonly ReceiptHandle: string;
    readonly VisibilityTimeout: number;
  }[];
}

function createDouble() {
  const done: { deleted: unknown[]; givenBack: unknown[] } = { deleted: [], givenBack: [] };
  let receives = 0;
  let waiting: unknown[] = [];
  const answers = {
    ReceiveMessage: () => {
      receives += 1;
      return { Messages: waiting.splice(0) };
    },
    DeleteMessage: ({ ReceiptHandle }: Asked) => void done.deleted.push(ReceiptHandle),
    ChangeMessageVisibilityBatch: ({ Entries = [] }: Asked) => {
      const given = Entries.map((entry) => [entry.ReceiptHandle, entry.VisibilityTimeout]);
      done.givenBack.push(...given);
      return { Successful: [], Failed: [] };
    },
  };
  const server = createServer(async (request, response) => {
    const target = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const asked = (await json(request)) as Asked;
    const answer = answers[target as keyof typeof answers](asked);
    const refused = { __type: "com.amazonaws.sqs#AccessDenied", message: "Not now." };
    const isRefused = target === "ReceiveMessage" && receives === 1;
    response.writeHead(isRefused ? 403 : 200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(isRefused ? refused : (answer ?? {})));
  });
  const give = (batch: readonly unknown[]) => {
    waiting = [...batch];
  };
  return { server, done, give };
}

test("the Node worker gives the rest of a failed group back until the last three receives, and survives a queue that refuses", async () => {
  const { server, done, give } = createDouble();
  const { endpoint, stop } = await listenOnLoopback(server);
  const project = await copyExample("node-worker");
  const worker = startWorker([process.execPath, join(project.folder, "worker.mjs")], {
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_REGION: "eu-west-1",
    BOOK: join(folder, "later"),
    AWS_ACCESS_KEY_ID: "any",
    AWS_SECRET_ACCESS_KEY: "any",
    QUEUE_URL: `${endpoint}/queue`,
  });
  await worker.untilShown("The queue cannot be used: Not now.");
  mkdirSync(join(folder, "later"));
  give(messages);
  await worker.untilShown("Message e2 failed");
  expect(await worker.stop()).toBe(0);
  await stop();
  expect(done).toEqual(expected);
});

/** botocore's client is replaced: its protocol differs between versions. */
const withStub = `
import json, sys, threading
sys.path.insert(0, "examples/python-worker")
import botocore.exceptions, worker

stopping = threading.Event()
stopping.wait = lambda seconds: None
done = {"deleted": [], "givenBack": []}

class Queue:
    receives = 0
    def receive_message(self, **_):
        self.receives += 1
        if self.receives == 1:
            raise botocore.exceptions.ClientError({"Error": {"Code": "AccessDenied"}}, "ReceiveMessage")
        if self.receives == 2:
            return {"Messages": json.loads(sys.argv[1])}
        stopping.set()
        return {}
    def delete_message(self, ReceiptHandle, **_):
        done["deleted"].append(ReceiptHandle)
    def change_message_visibility_batch(self, Entries, **_):
        done["givenBack"] += [[one["ReceiptHandle"], one["VisibilityTimeout"]] for one in Entries]

book = None  # Whatever the work raises, the other messages are handled.
worker.say = lambda line: None
worker.work(Queue(), "queue", book, stopping)
print(json.dumps(done))
`;

const readAll = `
import json, sys
sys.path.insert(0, "examples/python-worker")
import worker

def read(body):
    try:
        worker.read_event(body)
        return "read"
    except worker.UnreadableEvent as error:
        return str(error)

print(json.dumps([read(body) for body in json.loads(sys.argv[1])]))
`;

const python = findPython("batches of the Python worker");

describe.runIf(python !== undefined)("the Python worker", () => {
  const run = (code: string, ...args: string[]) => {
    const ended = spawnSync(python ?? "", ["-B", "-c", code, ...args], { encoding: "utf8" });
    expect(ended.stderr).toBe("");
    return JSON.parse(ended.stdout);
  };

  test("gives the rest of a failed group back until the last three receives, and survives a queue that refuses", () => {
    expect(run(withStub, JSON.stringify(messages))).toEqual(expected);
  });

  test("counts on the number of receives that the queues have", () => {
    const print = 'import sys; sys.path.insert(0, "examples/python-worker"); import worker; ';
    expect(run(`${print}print(worker.MAX_RECEIVE_COUNT)`)).toBe(defaultMaxReceiveCount);
  });

  test("keeps the order after a first failure, also if the queue has few receives", () => {
    const print = 'import json, sys; sys.path.insert(0, "examples/python-worker"); import worker; ';
    const blocked = "[r for r in range(1, most + 1) if worker.blocks_group(r, most)]";
    const code = `${print}print(json.dumps([${blocked} for most in (1, 2, 3, 4, 5)]))`;
    expect(run(code)).toEqual([[], [1], [1], [1], [1, 2]]);
  });

  test("does not say that it reads before its book is open", () => {
    const variables = { QUEUE_URL: "http://127.0.0.1:1/queue", AWS_REGION: "eu-west-1" };
    const env = { ...process.env, ...variables, BOOK: join(folder, "no-such-folder/book") };
    const options = { env, encoding: "utf8" } as const;
    const ended = spawnSync(python ?? "", ["-B", "examples/python-worker/worker.py"], options);
    expect(ended).toMatchObject({ status: 1, stdout: "" });
    expect(ended.stderr).toContain("unable to open database file");
  });

  const paid = testEvent("payment.order.success");
  const { amount } = paid.data;
  const withAmount = (changed: unknown) => ({ ...paid, data: { ...paid.data, amount: changed } });
  const wrong: [field: string, event: unknown][] = [
    ["event", []],
    ["id", { ...paid, id: 7 }],
    ["data", { ...paid, data: null }],
    ["dataschema", { ...paid, dataschema: "urn:paycast:schema:payment-order-event:2" }],
    ["data.amount", withAmount(undefined)],
    ["data.amount.value", withAmount({ ...amount, value: 12.3 })],
    ["data.amount.minor", withAmount({ ...amount, minor: "12.30" })],
    ["data.amount.minor", withAmount({ value: "12.30", currency: "USD" })],
    ["data.amount.currency", withAmount({ ...amount, currency: "usd" })],
  ];
  const right = [paid, withAmount({ value: "4.1" }), { ...paid, type: "payment.order.new" }];

  test("refuses an event in which a field that it uses is wrong, by the field's name", () => {
    const bodies = [...right, ...wrong.map(([, event]) => event)].map((body) =>
      JSON.stringify(body),
    );
    expect(run(readAll, JSON.stringify([...bodies, "{"]))).toEqual([
      ...right.map(() => "read"),
      ...wrong.map(([field]) => `${field} is missing or wrong`),
      "the body is not JSON",
    ]);
  });
});

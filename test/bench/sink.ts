import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";

/*
 * SQS, DynamoDB, Secrets Manager and the payment service as far as the measured functions need them, in a process of
 * their own, so that their work is not counted. The tables have a few items, and accept every write. A GET returns the
 * last message, so that another can send the same.
 */
const [{ secret: SecretString, items, awsMilliseconds, serviceMilliseconds, tls }] = await once(
  process,
  "message",
);
let last = "";

const listener: RequestListener = async (request, response) => {
  const body = await text(request);
  const delay = request.url === "/" ? awsMilliseconds : serviceMilliseconds;
  // Without a timer if there is no delay: it would take a millisecond.
  if (delay > 0) await setTimeout(delay);
  response.setHeader("content-type", "application/x-amz-json-1.0");
  if (request.method === "GET") response.end(last);
  else
    response.end(JSON.stringify(request.url === "/" ? answer(request.headers, body) : created()));
};

function answer({ "x-amz-target": target }: Readonly<Record<string, unknown>>, body: string) {
  const [service, operation] = String(target).split(".");
  if (service === "secretsmanager") return secretAnswer();
  if (operation === "GetItem") return { Item: items[JSON.parse(body).Key.aggregateKey?.S] };
  if (operation === "Query") return { Items: [], Count: 0 };
  if (service?.startsWith("DynamoDB")) return {};
  if (operation === "SendMessageBatch") return batchAnswer(body);
  last = body;
  const MD5OfMessageBody = createHash("md5").update(JSON.parse(body).MessageBody).digest("hex");
  return { MD5OfMessageBody, MessageId: "one", SequenceNumber: "1" };
}

let payments = 0;

/** The response of the payment service to a creation. */
function created(): object {
  payments += 1;
  const paymentId = `PAYMENT-${payments}`;
  const checkoutUrl = `https://pay.example/${payments}`;
  return { code: 20000, msg: "SUCCESS", data: { paymentId, checkoutUrl, status: "pending" } };
}

function batchAnswer(body: string): object {
  const { Entries } = JSON.parse(body);
  const Successful = Entries.map(({ Id }: { Id: string }) => ({ Id, MessageId: Id }));
  return { Successful, Failed: [] };
}

function secretAnswer(): object {
  const VersionStages = ["AWSCURRENT"];
  const CreatedDate = Date.now() / 1000;
  return { Name: "keys", VersionId: "one", VersionStages, CreatedDate, SecretString };
}

process.once("disconnect", () => process.exit());
const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
const { endpoint } = await listenOnLoopback(server);
process.send?.(tls === undefined ? endpoint : endpoint.replace("http:", "https:"));

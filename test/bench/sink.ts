import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";

/*
 * SQS and Secrets Manager as far as receive-callback needs them, in a process of their own, so that their work is not
 * counted. A GET returns the last message, so that another can send the same.
 */
const [secret] = await once(process, "message");
let last = "";

const server = createServer(async (request, response) => {
  const body = await text(request);
  response.setHeader("content-type", "application/x-amz-json-1.0");
  response.end(request.method === "GET" ? last : JSON.stringify(answer(request.headers, body)));
});

function answer({ "x-amz-target": target }: Readonly<Record<string, unknown>>, body: string) {
  if (String(target).startsWith("secretsmanager")) return secretAnswer();
  last = body;
  const MD5OfMessageBody = createHash("md5").update(JSON.parse(body).MessageBody).digest("hex");
  return { MD5OfMessageBody, MessageId: "one", SequenceNumber: "1" };
}

function secretAnswer(): object {
  const VersionStages = ["AWSCURRENT"];
  const CreatedDate = Date.now() / 1000;
  const SecretString = JSON.stringify(secret);
  return { Name: "keys", VersionId: "one", VersionStages, CreatedDate, SecretString };
}

process.once("disconnect", () => process.exit());
const { endpoint } = await listenOnLoopback(server);
process.send?.(endpoint);

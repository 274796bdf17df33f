import { createHash } from "node:crypto";
import { createServer } from "node:http";

/*
 * SQS and Secrets Manager as far as receive-callback needs them, in a process of their own, so that their work is not
 * counted. The secret comes with the first message of the parent.
 */
let secret = "";
process.once("disconnect", () => process.exit());
process.once("message", (text) => {
  secret = String(text);
  server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const isSecret = String(request.headers["x-amz-target"]).startsWith("secretsmanager");
    const answer = isSecret ? secretAnswer() : sendAnswer(Buffer.concat(chunks));
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify(answer));
  });
});

function secretAnswer(): object {
  const VersionStages = ["AWSCURRENT"];
  const CreatedDate = Date.now() / 1000;
  return { Name: "keys", VersionId: "one", VersionStages, CreatedDate, SecretString: secret };
}

let isFirst = true;

/** The parent gets the bytes of the first message, to send the same itself. */
function sendAnswer(body: Buffer): object {
  if (isFirst) process.send?.(body.toString());
  isFirst = false;
  const { MessageBody } = JSON.parse(body.toString());
  const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
  return { MD5OfMessageBody, MessageId: "one", SequenceNumber: "1" };
}

import { createHmac, hash } from "node:crypto";
import { Agent, request } from "node:http";

const date = () => new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

/** The same message to SQS with nothing but Node: signed by hand, on a connection that stays open, its answer read. */
export function makeBarePost(endpoint: string, region: string, body: string): () => Promise<void> {
  const { hostname, port, host } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  let signing: { day: string; key: Buffer } = { day: "", key: Buffer.alloc(0) };
  const keyOf = (day: string) => {
    if (signing.day === day) return signing.key;
    const parts = [day, region, "sqs", "aws4_request"];
    signing = { day, key: parts.reduce<Buffer>(hmac, Buffer.from("AWS4secret")) };
    return signing.key;
  };
  return () => {
    const at = date();
    const day = at.slice(0, 8);
    const signed = "content-type;host;x-amz-date;x-amz-target";
    const target = "AmazonSQS.SendMessage";
    const type = "application/x-amz-json-1.0";
    const head = `content-type:${type}\nhost:${host}\nx-amz-date:${at}\nx-amz-target:${target}\n`;
    const canonical = `POST\n/\n\n${head}\n${signed}\n${hash("sha256", body)}`;
    const scope = `${day}/${region}/sqs/aws4_request`;
    const text = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${hash("sha256", canonical)}`;
    const signature = hmac(keyOf(day), text).toString("hex");
    const authorization = `AWS4-HMAC-SHA256 Credential=key/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
    const headers = {
      "content-type": type,
      host,
      "x-amz-date": at,
      "x-amz-target": target,
      authorization,
      "content-length": Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method: "POST", path: "/", agent, headers });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const { MessageId } = JSON.parse(Buffer.concat(chunks).toString());
          if (MessageId === undefined) reject(new Error("It was not stored."));
          resolve();
        });
      });
      sent.end(body);
    });
  };
}

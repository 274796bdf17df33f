import { createCipheriv, sign } from "node:crypto";
import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { FaultProxy } from "../../integration/fault-proxy.ts";
import { type JsonObject, parseObject } from "./check/open-envelope.ts";
import type { Random } from "./random.ts";

/** Stolen keys, with which the service once sealed a merchant's callbacks. */
export interface StolenKeys {
  readonly merchantId: string;
  readonly aesKey: string;
  readonly servicePrivateKey: string;
}

/** A current envelope about an order, sealed as the interface describes, with earlier keys. */
export function sealWith(keys: StolenKeys, order: JsonObject, nowMilliseconds: number): string {
  const { merchantId } = keys;
  const result = {
    merchantId,
    referOrderNo: order["orderNo"],
    transactionId: forgedTransaction,
    paymentAmount: order["amount"],
    currency: order["currency"],
    status: "success",
  };
  const envelope = {
    id: crypto.randomUUID(),
    merchantId,
    eventName: "payment.order.success",
    timestamp: nowMilliseconds,
    body: JSON.stringify(result),
  };
  const signed = Object.entries(envelope)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const signature = sign("sha256", Buffer.from(signed), keys.servicePrivateKey).toString("base64");
  const key = Buffer.from(keys.aesKey, "base64");
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.alloc(16));
  const body = cipher.update(envelope.body, "utf8", "base64") + cipher.final("base64");
  return JSON.stringify({ ...envelope, body, sign: signature });
}

const forgedTransaction = `T${"F".repeat(28)}`;
const mostKept = 50;

/** A sender that may read and write the inbox: it repeats real messages with different content. */
export function watchInbox(proxy: FaultProxy, sqs: SQSClient, inbox: string) {
  const seen: JsonObject[] = [];
  const isSent = ({ operation, input }: FaultProxy["calls"][number]) => {
    if (operation !== "SendMessage" || input["QueueUrl"] !== inbox) return false;
    seen.push(input);
    if (seen.length > mostKept) seen.shift();
    return false;
  };
  proxy.fail(isSent, { kind: "cut" });
  return {
    /** Sends a forged payment, with the stamp of another message, with a version that does not exist, or without one. */
    forge: async (random: Random): Promise<void> => {
      const paid = seen.filter(({ MessageBody }) => transaction.test(String(MessageBody)));
      if (paid.length === 0) return;
      const { MessageBody, MessageGroupId } = random.pick(paid);
      const { stamp, stampKey, ...body } = parseObject(String(MessageBody)) ?? {};
      const stamps = [{}, { stamp, stampKey }, { stamp, stampKey: crypto.randomUUID() }];
      const message = String(body["message"])
        .replaceAll(new RegExp(transaction, "g"), forgedTransaction)
        .replaceAll(uuid, crypto.randomUUID());
      const forged = { ...body, message, ...random.pick(stamps) };
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: inbox,
          MessageBody: JSON.stringify(forged),
          MessageGroupId: String(MessageGroupId),
          MessageDeduplicationId: crypto.randomUUID(),
        }),
      );
    },
  };
}

const transaction = /T[0-9A-F]{28}/;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

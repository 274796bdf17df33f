import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemInput,
} from "@aws-sdk/client-dynamodb";
import type { Amount } from "../money/amount.ts";
import { fromAttributes, toAttribute } from "../table/attributes.ts";
import { type Creation, type Order, orderKeyOf, orderSchema } from "./order.ts";

/** Longer than the function may run: while it lasts, somebody may be talking to the service. */
const leaseMilliseconds = 35_000;

export interface CreationRequest {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly amount: Amount;
  readonly channel: string;
  readonly contentHash: string;
  readonly expiresAtMilliseconds: number;
}

/**
 * `begun`: this caller sends; `mayExist` if an earlier creation, of which nobody knows the outcome, may have
 * brought the order to the service. Otherwise the order as it is tells why not.
 */
export type Beginning =
  | { readonly kind: "begun"; readonly creation: Creation; readonly mayExist: boolean }
  | { readonly kind: "known"; readonly order: Order };

const nobodyCreatedIt = "attribute_not_exists(#create)";
const serviceRefusedIt = "#create.#state = :refused";
const outcomeIsUnknown = "#create.#state IN (:unknown, :sending)";
const leaseHasEnded = "#create.leaseEndsAtMilliseconds <= :now";
const sameContent = "#create.contentHash = :contentHash";
/** Once the service has told of the order, it is there: sending it again could have it paid twice. */
const nothingIsToldOfIt = "attribute_not_exists(version)";
const mayBeSentAgain = `(${serviceRefusedIt} OR (${sameContent} AND ${outcomeIsUnknown} AND ${leaseHasEnded})) AND ${nothingIsToldOfIt}`;

/**
 * Records the order before anything is sent, so that a callback finds it and of any number of concurrent
 * callers one sends. What facts have written meanwhile stays as it is. A caller knows its own record again:
 * the SDK repeats a write whose answer was lost.
 */
export async function beginCreation(
  client: DynamoDBClient,
  table: string,
  request: CreationRequest,
  nowMilliseconds: number,
): Promise<Beginning> {
  const { contentHash, expiresAtMilliseconds, channel } = request;
  const creation: Creation = {
    state: "sending",
    attempt: randomUUID(),
    contentHash,
    leaseEndsAtMilliseconds: nowMilliseconds + leaseMilliseconds,
    startedAtMilliseconds: nowMilliseconds,
    expiresAtMilliseconds,
    channel,
  };
  const order = await writeOrRead(client, recordCreation(table, request, creation));
  if (order.create?.attempt !== creation.attempt) return { kind: "known", order };
  const { stateBefore } = order;
  return {
    kind: "begun",
    creation,
    mayExist: stateBefore === "unknown" || stateBefore === "sending",
  };
}

/** The order as it is now: with this creation, or with what stands in its way. */
async function writeOrRead(client: DynamoDBClient, update: UpdateItemInput): Promise<Order> {
  try {
    const { Attributes = {} } = await client.send(new UpdateItemCommand(update));
    return orderSchema.parse(fromAttributes(Attributes));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined)
      throw error;
    return orderSchema.parse(fromAttributes(error.Item));
  }
}

function recordCreation(table: string, request: CreationRequest, creation: Creation) {
  const { merchantId, orderNo, amount } = request;
  return {
    TableName: table,
    Key: { orderKey: { S: orderKeyOf(merchantId, orderNo) } },
    UpdateExpression:
      "SET #create = :create, stateBefore = if_not_exists(#create.#state, :none), expected = :expected, merchantId = :merchantId, orderNo = :orderNo",
    ConditionExpression: `${nobodyCreatedIt} OR (${mayBeSentAgain})`,
    ExpressionAttributeNames: { "#create": "create", "#state": "state" },
    ExpressionAttributeValues: {
      ":create": toAttribute(creation),
      ":none": toAttribute("none"),
      ":expected": toAttribute({ amount }),
      ":merchantId": toAttribute(merchantId),
      ":orderNo": toAttribute(orderNo),
      ":contentHash": toAttribute(creation.contentHash),
      ":refused": toAttribute("refused"),
      ":unknown": toAttribute("unknown"),
      ":sending": toAttribute("sending"),
      ":now": toAttribute(creation.startedAtMilliseconds),
    },
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  } satisfies UpdateItemInput;
}

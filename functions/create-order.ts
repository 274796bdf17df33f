import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { createDefaultGateway } from "../shared/gateway/default-gateway.ts";
import { GatewayError } from "../shared/gateway/gateway-error.ts";
import { gatewaySettingsSchema } from "../shared/gateway/gateway-settings.ts";
import { type CreateAnswer, createPayment } from "../shared/gateway/operations.ts";
import {
  type Beginning,
  beginCreation,
  type CreationRequest,
} from "../shared/orders/begin-creation.ts";
import { endCreation, storePayment } from "../shared/orders/end-creation.ts";
import { loadOrder } from "../shared/orders/load-order.ts";
import { type Creation, type Order, orderKeyOf } from "../shared/orders/order.ts";
import { jsonVariable, readEnvironment } from "../shared/read-environment.ts";
import { chooseMerchant } from "../shared/storefront/choose-merchant.ts";
import { answerToProblem, type HttpAnswer, jsonAnswer } from "../shared/storefront/http-answer.ts";
import { type PaymentAnswer, paymentAnswerOf } from "../shared/storefront/payment-answer.ts";
import { ProblemError, problemOf } from "../shared/storefront/problem.ts";
import { bodyInvalid, type OrderToCreate, readOrder } from "../shared/storefront/read-order.ts";
import { requestText } from "../shared/storefront/request-text.ts";
import { createDynamoDbClient } from "../shared/table/dynamodb-client.ts";
import { asError, createLog, type WriteLine } from "../shared/telemetry/log-line.ts";
import { describeStorefront } from "../shared/telemetry/storefront-line.ts";

interface CreateOrder {
  readonly merchantIds: readonly string[];
  readonly redirectOrigins: readonly string[];
  readonly callbackUrl: string;
  readonly findOrder: (merchantId: string, orderNo: string) => Promise<Order | undefined>;
  readonly begin: (request: CreationRequest) => Promise<Beginning>;
  readonly createPayment: (merchantId: string, body: object) => Promise<CreateAnswer>;
  readonly storePayment: (
    request: CreationRequest,
    creation: Creation & { readonly paymentId: string },
  ) => Promise<void>;
  readonly end: (
    request: CreationRequest,
    creation: Creation,
    state: "refused" | "unknown",
  ) => Promise<void>;
  readonly now: () => number;
  readonly log: WriteLine;
}

type HttpRequest = Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded">;

/** POST /orders: checks all, records, sends, stores. A repeat gets the payment that is there. */
export async function createOrder(request: HttpRequest, deps: CreateOrder): Promise<HttpAnswer> {
  const startedAt = deps.now();
  try {
    const { redirectOrigins, merchantIds } = deps;
    const rules = { nowMilliseconds: startedAt, redirectOrigins, merchantIds };
    const order = readOrder(requestText(request), rules);
    const creating = { ...order, merchantId: chooseMerchant(order.merchantId, merchantIds) };
    const beginning = await beginOrFind(creating, deps);
    const answer =
      beginning.kind === "known"
        ? jsonAnswer(200, knownPayment(beginning.order, creating, deps.now()))
        : jsonAnswer(201, await send(creating, beginning, deps));
    deps.log(...describeStorefront("created", answer.statusCode, deps.now() - startedAt));
    return answer;
  } catch (error) {
    const answer = answerToProblem(error);
    deps.log(...describeStorefront(asError(error), answer.statusCode, deps.now() - startedAt));
    return answer;
  }
}

type OrderOfMerchant = OrderToCreate & { readonly merchantId: string };

/** What would be refused if it were new may still be the repeat of an order that was right in its time. */
async function beginOrFind(creating: OrderOfMerchant, deps: CreateOrder): Promise<Beginning> {
  if (creating.faultsIfNew.length === 0) return await deps.begin(creating);
  const order = await deps.findOrder(creating.merchantId, creating.orderNo);
  if (order?.create?.paymentId === undefined) throw bodyInvalid(creating.faultsIfNew);
  return { kind: "known", order };
}

/** Why this caller does not send: it is done, or under way, or another order has the number. */
function knownPayment(order: Order, creating: OrderOfMerchant, now: number): PaymentAnswer {
  if (order.create?.contentHash !== creating.contentHash) {
    throw new ProblemError(
      problemOf("order-differs", "An order with this orderNo and another content exists."),
    );
  }
  const payment = paymentAnswerOf(order);
  if (payment !== undefined) return payment;
  const leftMilliseconds = order.create.leaseEndsAtMilliseconds - now;
  if (order.version > 0 && leftMilliseconds <= 0) throw new ProblemError(heardOfAlready);
  const retryAfterSeconds = Math.min(5, Math.max(1, Math.ceil(leftMilliseconds / 1000)));
  const detail = "The same order is on its way to the service. Send it again after a moment.";
  throw new ProblemError(problemOf("order-in-progress", detail, { retryAfterSeconds }));
}

/** Its answer was lost and callbacks name no payment (§2.11): there is no checkout address to give. */
const heardOfAlready = problemOf(
  "order-exists",
  "The answer to its creation was lost, but the service has told of it since. Ask GET /orders/{orderNo} for its status; to have it paid anew, create an order with another orderNo.",
);

type Begun = Extract<Beginning, { kind: "begun" }>;

async function send(
  creating: OrderOfMerchant,
  begun: Begun,
  deps: CreateOrder,
): Promise<PaymentAnswer> {
  const { merchantId, orderNo, channel, body } = creating;
  const payment = await settled(creating, begun, deps, () =>
    deps.createPayment(merchantId, { ...body, callbackUrl: deps.callbackUrl }),
  );
  const { paymentId, checkoutUrl } = payment;
  const created = { ...begun.creation, state: "created" as const, leaseEndsAtMilliseconds: 0 };
  try {
    await deps.storePayment(creating, { ...created, paymentId, checkoutUrl });
  } catch (cause) {
    // The service has the order and the table does not know: that is an answer lost on our side.
    throw new GatewayError("timed-out", { cause });
  }
  return { paymentId, referOrderNo: orderNo, channel, checkoutUrl, status: "pending" };
}

/**
 * After a refusal, or when nothing was sent, the number is free again. After anything else the service may
 * have the order: its outcome is unknown until a callback or a repeat settles it; so it stays if the outcome
 * of an earlier attempt was unknown. If even that cannot be written, the lease runs out by itself.
 */
async function settled<T>(
  creating: OrderOfMerchant,
  { creation, mayExist }: Begun,
  deps: CreateOrder,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const state = mayExist || mayHaveActed(error) ? "unknown" : "refused";
    await deps.end(creating, creation, state).catch(() => undefined);
    throw error;
  }
}

function mayHaveActed(error: unknown): boolean {
  return error instanceof GatewayError && error.mayHaveActed;
}

const environmentSchema = z.object({
  ORDERS_TABLE: z.string(),
  REQUEST_KEYS: jsonVariable(z.record(z.string(), z.string())),
  GATEWAY: jsonVariable(gatewaySettingsSchema),
  CALLBACK_URL: z.string(),
  REDIRECT_ORIGINS: jsonVariable(z.array(z.string())),
  METRICS_NAMESPACE: z.string(),
});

function wire(): (request: HttpRequest) => Promise<HttpAnswer> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "create-order", namespace: env.METRICS_NAMESPACE, now });
  const dynamodb = createDynamoDbClient();
  const call = createDefaultGateway(env.REQUEST_KEYS, now, log);
  const deps: CreateOrder = {
    merchantIds: Object.keys(env.REQUEST_KEYS),
    redirectOrigins: env.REDIRECT_ORIGINS,
    callbackUrl: env.CALLBACK_URL,
    findOrder: (merchantId, orderNo) =>
      loadOrder(dynamodb, env.ORDERS_TABLE, orderKeyOf(merchantId, orderNo)),
    begin: (request) => beginCreation(dynamodb, env.ORDERS_TABLE, request, now()),
    createPayment: (merchantId, body) => createPayment(call, env.GATEWAY, merchantId, body),
    storePayment: (request, creation) =>
      storePayment(dynamodb, env.ORDERS_TABLE, request, creation),
    end: (request, creation, state) =>
      endCreation(dynamodb, env.ORDERS_TABLE, request, creation, state),
    now,
    log,
  };
  return (request) => createOrder(request, deps);
}

export const handler = wire();

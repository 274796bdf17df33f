import { Duration } from "aws-cdk-lib";
import {
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpMethod,
  HttpNoneAuthorizer,
  type IHttpRouteAuthorizer,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer, HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { Construct } from "constructs";
import type { RedirectRules } from "../../shared/storefront/redirect-faults.ts";
import { createTimeoutMilliseconds, queryTimeoutMilliseconds } from "../../shared/timing.ts";
import type { PaycastApi } from "../api/http-api.ts";
import type { Config } from "../config/config-schema.ts";
import { allow, PaycastFunction } from "../lambda/paycast-function.ts";
import { gatewayVariable } from "./gateway-variable.ts";
import type { ServiceCallers } from "./reconciliation.ts";
import { addStorefrontAlarms, storefrontPaths } from "./storefront-alarms.ts";

type Storefront = NonNullable<Config["storefront"]>;

interface StorefrontProps extends ServiceCallers {
  merchants: readonly string[];
  storefront: Storefront;
  api: PaycastApi;
  callbackUrl: string;
}

/** The most expensive step, an RSA signature, takes a few ms of a full core: about 10 ms at this size. */
const memoryMegabytes = 512;

/** Requests per second to a path that does not exist. Nobody needs it. */
const unknownPathLimit = 20;

/** POST /orders, GET /orders/{orderNo}, GET /payments/{paymentId}, and a problem document for any other path. */
export class StorefrontApi extends Construct {
  constructor(scope: Construct, id: string, props: StorefrontProps) {
    super(scope, id);
    const authorizer = authorizerFor(props.storefront);
    const { create, query } = props.storefront.requestsPerSecond;
    const createOrder = this.createOrder(props);
    const queryOrder = this.queryOrder(props);
    const read = {
      method: HttpMethod.GET,
      target: queryOrder,
      authorizer,
      requestsPerSecond: query,
    };
    props.api.addRoute({
      method: HttpMethod.POST,
      path: storefrontPaths.create,
      target: createOrder,
      authorizer,
      requestsPerSecond: create,
    });
    props.api.addRoute({ ...read, path: storefrontPaths.order });
    props.api.addRoute({ ...read, path: storefrontPaths.payment });
    this.addOtherRoutes(props, queryOrder);
    addStorefrontAlarms(this, props.merchants, props.api);
  }

  /** Unauthenticated: it serves only 404s, so its limit is low. */
  private addOtherRoutes({ api, storefront }: StorefrontProps, target: PaycastFunction): void {
    const authorizer = new HttpNoneAuthorizer();
    api.addDefaultRoute({ target, authorizer, requestsPerSecond: unknownPathLimit });
    if (storefront.cors === undefined) return;
    // The default route would also receive the preflights of all paths. This route takes them, with the limit of the
    // calls that follow.
    api.addRoute({
      method: HttpMethod.OPTIONS,
      path: "/{path+}",
      target,
      authorizer,
      requestsPerSecond: storefront.requestsPerSecond.query,
    });
  }

  private createOrder(props: StorefrontProps): PaycastFunction {
    const { gateway, storefront, concurrency, requestKeys, records } = props;
    return new PaycastFunction(this, "CreateOrder", {
      name: "create-order",
      codeOf: props.codeOf,
      description: "Creates a payment order at the payment service",
      timeoutMilliseconds: createTimeoutMilliseconds,
      reservedConcurrency: concurrency.createOrder,
      memoryMegabytes,
      environment: {
        CALLBACKS_TABLE: records.callbacks.tableName,
        ORDERS_TABLE: records.orders.tableName,
        REQUEST_KEYS: requestKeys.byMerchant,
        GATEWAY: gatewayVariable(gateway),
        CALLBACK_URL: props.callbackUrl,
        REDIRECTS: JSON.stringify(redirectRules(storefront)),
        RECORD_EXPIRY_DAYS: String(props.recordExpiryDays),
      },
      permissions: [
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [records.orders.tableArn]),
        records.allowNotices(),
        ...requestKeys.permissions,
      ],
    });
  }

  private queryOrder(props: StorefrontProps): PaycastFunction {
    const { gateway, concurrency, requestKeys, stampKey, records, inbox } = props;
    return new PaycastFunction(this, "QueryOrder", {
      name: "query-order",
      codeOf: props.codeOf,
      description: "Returns an order's status, and queries the payment service until it is settled",
      timeoutMilliseconds: queryTimeoutMilliseconds,
      reservedConcurrency: concurrency.queryOrder,
      memoryMegabytes,
      environment: {
        ORDERS_TABLE: records.orders.tableName,
        REQUEST_KEYS: requestKeys.byMerchant,
        GATEWAY: gatewayVariable(gateway),
        INBOX_QUEUE_URL: inbox.queue.queueUrl,
        STAMP_KEY: stampKey.id,
      },
      permissions: [
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], [records.orders.tableArn]),
        ...requestKeys.permissions,
        ...stampKey.permissions,
        allow(["sqs:SendMessage"], [inbox.queue.queueArn]),
      ],
    });
  }
}

/**
 * Authenticated callers may use any redirect address unless the config has a list; anonymous ones need the list. On a
 * developer's machine `npm start` also allows loopback addresses.
 */
function redirectRules({ access, redirectOrigins }: Storefront): RedirectRules {
  const ofStrangers = access === "open" ? [] : undefined;
  return { origins: redirectOrigins ?? ofStrangers, loopback: false };
}

/** Callers sign with their own AWS credentials, unless the config explicitly says otherwise. */
function authorizerFor({ access, issuer, audience }: Storefront): IHttpRouteAuthorizer {
  if (access === "open") return new HttpNoneAuthorizer();
  if (access === "iam" || issuer === undefined || audience === undefined) {
    return new HttpIamAuthorizer();
  }
  return new HttpJwtAuthorizer("StorefrontJwt", issuer, { jwtAudience: audience });
}

/** Lets a browser on the shop's pages call the storefront routes. */
export function corsFor({ cors }: Storefront): CorsPreflightOptions | undefined {
  return (
    cors && {
      allowOrigins: cors.origins,
      allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
      allowHeaders: [
        "content-type",
        "authorization",
        "x-amz-date",
        "x-amz-security-token",
        "idempotency-key",
        "traceparent",
      ],
      exposeHeaders: ["location", "retry-after"],
      maxAge: Duration.hours(1),
    }
  );
}

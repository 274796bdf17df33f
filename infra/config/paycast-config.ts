import type { RemovalPolicy } from "aws-cdk-lib";
import type { PaycastAlarms } from "./paycast-alarms.ts";
import type { PaycastSubscriber } from "./paycast-subscriber.ts";

/** What Paycast runs with: the content of a config file, and the main part of the construct's props. */
export interface PaycastConfig {
  /** Merchant ids, at most 20, each 1 to 18 letters, digits, dashes or underscores. */
  readonly merchants: readonly string[];
  /** The teams that get events, each through a queue of its own. About 13 fit. */
  readonly subscribers: readonly PaycastSubscriber[];
  /**
   * ARNs of the roles whose holders may send to the queues by hand, as `redrive` and `replay` do: with their paths, `*` and
   * `?` stand for any characters. What is in the queues counts as authentic, so nobody else may, whatever IAM allows.
   * @default none, and the app warns
   */
  readonly operators?: readonly string[] | undefined;
  /**
   * Adds a merchant and a subscriber for smoke tests (`npx paycast smoke`), whose events no other subscriber gets.
   * @default false
   */
  readonly smoke?: boolean | undefined;
  /** Which callbacks are accepted, and how long their records are kept. */
  readonly callbacks?: PaycastCallbacks | undefined;
  /** The payment service. Without it the stack only receives callbacks, and nothing looks for lost ones. */
  readonly gateway?: PaycastGateway | undefined;
  /** The API that creates and queries orders. It calls the payment service, so it needs `gateway`. */
  readonly storefront?: PaycastStorefront | undefined;
  /** Your own host name. Without it the API has the address that AWS gives it. */
  readonly domain?: PaycastDomain | undefined;
  /** Who hears of alarms. Without it they are seen in CloudWatch only, and the app warns. */
  readonly alarms?: PaycastAlarms | undefined;
  /**
   * A CloudWatch dashboard that follows a callback through the stack. The description of each alarm links to it.
   * @default true
   */
  readonly dashboard?: boolean | undefined;
  /**
   * X-Ray records calls of the functions. Log lines and events have a trace id also without it.
   * @default false, because it can cost more than the calls that it records
   */
  readonly tracing?: boolean | undefined;
  /** How many instances of the functions may run at once. */
  readonly concurrency?: PaycastConcurrency | undefined;
  /** The way to a payment service that wants calls from a fixed address. It needs `gateway`. */
  readonly egress?: PaycastEgress | undefined;
  /**
   * How many days the functions' logs are kept, a number that CloudWatch Logs accepts.
   * @default 90
   */
  readonly logRetentionDays?: number | undefined;
  /**
   * How a new version of receive-callback takes over: for all callbacks at once, or first for one in ten during five
   * minutes (`gradual`), and not at all if its alarms ring.
   * @default "at-once"
   */
  readonly rollout?: "at-once" | "gradual" | undefined;
  /**
   * Secrets that exist already, by merchant id, for example with keys that were stored before the first deployment.
   * The stack makes the secrets that are not named here, without a value.
   */
  readonly secrets?: Readonly<Record<string, PaycastSecrets>> | undefined;
  /**
   * ARN of a KMS key of your own, in the stack's region, for the queues, tables, secrets and logs. Not an alias.
   * @default keys that AWS manages
   */
  readonly encryptionKeyArn?: string | undefined;
  /**
   * What happens to tables, queues, secrets and the audit log when the stack is deleted or a subscriber leaves: they
   * stay (`retain`) or are deleted with all payments in them (`destroy`, for stacks that are only for tests).
   * @default "retain"
   */
  readonly removalPolicy?: RemovalChoice | undefined;
}

/** `RemovalPolicy` of the CDK, or the same in a config file. */
export type RemovalChoice = RemovalPolicy.RETAIN | RemovalPolicy.DESTROY | "retain" | "destroy";

export interface PaycastCallbacks {
  /**
   * How old a callback's timestamp may be.
   * @default 192, which is seven days of retries and one more
   */
  readonly maxAgeHours?: number | undefined;
  /**
   * How far ahead of our clock it may be.
   * @default 300
   */
  readonly maxAheadSeconds?: number | undefined;
  /**
   * How long the previous keys verify after the current version was made.
   * @default 192
   */
  readonly previousKeysHours?: number | undefined;
  /**
   * How long callback records are kept: at least 15 days, and longer than `maxAgeHours`.
   * @default 90
   */
  readonly recordExpiryDays?: number | undefined;
  /**
   * The addresses that the payment service calls from, each an IP address or a block like `203.0.113.0/24`.
   * @default callbacks are accepted from anywhere, if their signature is right
   */
  readonly sourceAddresses?: readonly string[] | undefined;
  /** Captures refused callbacks until this date or time, like `2026-11-30`, at most 31 days ahead. */
  readonly captureUntil?: string | undefined;
}

export interface PaycastGateway {
  /** The payment service's origin, https. */
  readonly baseUrl: string;
  /**
   * Such as `/cgi`.
   * @default empty
   */
  readonly pathPrefix?: string | undefined;
  /** The paths of the two calls. */
  readonly paths?:
    | {
        /** @default "/payment/api/v1/payment-order" */
        readonly create?: string | undefined;
        /** @default "/payment/api/v1/payment-order/query" */
        readonly query?: string | undefined;
      }
    | undefined;
  /**
   * Create refuses order numbers over 32 characters. For a service that shortens longer ones, and so names another
   * order in its callbacks.
   * @default false: up to 64 characters are accepted
   */
  readonly shortOrderNumbers?: boolean | undefined;
}

export interface PaycastStorefront {
  /**
   * Who may call the API: callers that sign with AWS credentials, callers with a JWT, or anybody.
   * @default "iam"
   */
  readonly access?: "iam" | "jwt" | "open" | undefined;
  /** The issuer of the JWTs, https. Needed with `jwt`. */
  readonly issuer?: string | undefined;
  /** The audiences of the JWTs. Needed with `jwt`. */
  readonly audience?: readonly string[] | undefined;
  /** Web origins whose pages may call the API. */
  readonly cors?: { readonly origins: readonly string[] } | undefined;
  /** Where a checkout's `redirectUrl` may lead: https origins, or an app's own scheme such as `myshop:`. */
  readonly redirectOrigins?: readonly string[] | undefined;
}

export interface PaycastDomain {
  /** The host name, in lower case. */
  readonly name: string;
  /** ARN of its ACM certificate, in the stack's region. */
  readonly certificateArn: string;
  /** Id of a Route 53 hosted zone, in which the DNS record is made. Without it you make the record. */
  readonly hostedZone?: string | undefined;
}

export interface PaycastConcurrency {
  /**
   * How many batches of callbacks are processed at once, from 2 to 1000.
   * @default 5
   */
  readonly inbox?: number | undefined;
  /** Instances reserved for receiving callbacks: also the most that can run. */
  readonly receiveCallback?: number | undefined;
  /** Instances reserved for processing callbacks, at least `inbox`. */
  readonly processCallback?: number | undefined;
  /** Instances reserved for creating orders. */
  readonly createOrder?: number | undefined;
  /** Instances reserved for querying orders. */
  readonly queryOrder?: number | undefined;
  /** Instances reserved for asking about overdue orders; one is enough. */
  readonly reconcileOrders?: number | undefined;
}

export interface PaycastEgress {
  /** Private subnets of one network, whose NAT gateway has the fixed address. At least two, in different zones. */
  readonly subnetIds: readonly string[];
  /** Security groups of that network, which let HTTPS out. */
  readonly securityGroupIds: readonly string[];
}

export interface PaycastSecrets {
  /** Whole ARN of the secret with the keys that open the merchant's callbacks. */
  readonly callbackKeysArn?: string | undefined;
  /** Whole ARN of the secret with the keys that sign requests to the payment service. */
  readonly requestKeysArn?: string | undefined;
  /** ARN of the KMS key of your own that these two are encrypted with, if there is one. */
  readonly encryptionKeyArn?: string | undefined;
}

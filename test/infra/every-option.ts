import type { ConfigInput } from "../../infra/config/config-schema.ts";

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:eu-west-1:123456789012:${resource}`;

/** A config in which every option of the stack is used. The compiler asks for a new one here. */
export const everyOption: Required<ConfigInput> = {
  merchants: ["M1", "M2"],
  subscribers: [
    {
      name: "fulfilment",
      types: ["payment.order.success"],
      merchants: ["M1"],
      readers: ["210987654321", "310987654321"],
      operators: ["arn:aws:iam::123456789012:role/fulfilment-on-call"],
      consumerTimeoutSeconds: 60,
      maxWaitMinutes: 60,
    },
    { name: "analytics", types: ["*"], ordered: false },
  ],
  operators: ["arn:aws:iam::123456789012:role/operators/on-call-*"],
  smoke: true,
  callbacks: {
    maxAgeHours: 48,
    maxAheadSeconds: 60,
    previousKeysHours: 48,
    recordExpiryDays: 30,
    sourceAddresses: ["203.0.113.0/24"],
    captureUntil: new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10),
  },
  gateway: {
    baseUrl: "https://payments.example.com",
    pathPrefix: "/cgi",
    paths: { create: "/create", query: "/query" },
    shortOrderNumbers: true,
    exactSums: false,
    callerCodes: ["40012"],
  },
  storefront: {
    access: "jwt",
    issuer: "https://id.example.com/",
    audience: ["shop"],
    cors: { origins: ["https://shop.example.com"] },
    redirectOrigins: ["https://shop.example.com"],
    requestsPerSecond: { create: 7, query: 9 },
  },
  domain: {
    name: "pay.example.com",
    certificateArn: arn("acm", "certificate/c-1"),
    hostedZone: "Z123",
  },
  alarms: {
    topicArn: arn("sns", "pager"),
    email: "on-call@example.com",
    morning: { topicArn: arn("sns", "mailbox"), email: "team@example.com" },
    runbookUrl: "https://wiki.example.com/payments/runbook",
  },
  dashboard: true,
  tracing: true,
  concurrency: {
    inbox: 5,
    receiveCallback: 20,
    processCallback: 9,
    createOrder: 4,
    queryOrder: 3,
    reconcileOrders: 1,
  },
  egress: { subnetIds: ["subnet-0a1b2c3d", "subnet-1b2c3d4e"], securityGroupIds: ["sg-0a1b2c3d"] },
  logRetentionDays: 30,
  rollout: "gradual",
  secrets: {
    M1: {
      callbackKeysArn: arn("secretsmanager", "secret:shop-callbacks-a1B2c3"),
      encryptionKeyArn: arn("kms", "key/k-2"),
    },
    M2: { requestKeysArn: arn("secretsmanager", "secret:shop-requests-b2C3d4") },
  },
  encryptionKeyArn: arn("kms", "key/1234abcd-12ab-34cd-56ef-1234567890ab"),
  removalPolicy: "destroy",
};

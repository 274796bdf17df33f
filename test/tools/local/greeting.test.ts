import { expect, test } from "vitest";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { greet } from "../../../tools/local/greeting.ts";

const description = {
  api: "http://127.0.0.1:3000",
  console: "http://127.0.0.1:3002/?token=sample",
  gateway: "http://127.0.0.1:3001",
  shop: "http://127.0.0.1:3009",
  aws: { sqs: "http://q", dynamodb: "http://d", secretsmanager: "http://s" },
  region: "us-east-1",
  aheadMilliseconds: 0,
  queues: {
    inbox: "i",
    inboxDeadLetters: "d",
    subscribers: { books: { url: "u", deadLetters: "d" } },
    readInLab: [],
  },
  tables: { callbacks: "c", orders: "o" },
  merchants: [{ merchantId: "shop-1", callbackKeys: "c", requestKeys: "r" }],
  functions: {},
};
const gateway = { baseUrl: "https://payments.example.com" };
const jwt = { access: "jwt", issuer: "https://id.example.com", audience: ["shop"] };

const greetingFor = (changes: object) => {
  const subscribers = [{ name: "books", types: ["*"] }];
  const config = parseConfig({ merchants: ["shop-1"], subscribers, ...changes });
  return greet({ description, config, directory: ".paycast", seconds: 3.21 });
};

test.each([
  [{}, "accepts unsigned calls; when deployed, each call must be signed with AWS credentials"],
  [
    { storefront: jwt },
    "accepts calls without a token; when deployed, each call needs a JWT from https://id.example.com",
  ],
  [{ storefront: { access: "open" } }, "accepts calls from anyone, here and when deployed"],
])("with %j the greeting says who may call the API, here and when deployed", (changes, access) => {
  expect(greetingFor({ gateway, ...changes })).toContain(
    `  Storefront API     http://127.0.0.1:3000  (${access})\n`,
  );
});

test("a stack without a gateway has no storefront", () => {
  for (const name of ["Storefront API    ", "Demo shop         "]) {
    expect(greetingFor({})).toContain(`${name} none, because the config has no gateway\n`);
  }
});

test("the greeting names the addresses, the merchants, the subscribers and the file with the rest", () => {
  const text = greetingFor({ gateway });
  expect(text).toContain("It started in 3.2 s.");
  for (const line of [
    "  Callbacks          http://127.0.0.1:3000/callbacks",
    "  Payment service    http://127.0.0.1:3001  (simulated; the console controls it)",
    "  Merchants          shop-1",
    "  Subscribers        books",
    "  Demo shop          npm run shop starts it at http://127.0.0.1:3009",
    "  Everything else    .paycast/local.json",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

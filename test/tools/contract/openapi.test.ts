import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../../shared/storefront/problem.ts";
import { problemDescriptions, problemKinds } from "../../../shared/storefront/problem-kinds.ts";
import { synthesizeTemplate } from "../../infra/stack-template.ts";
import { lintDocument } from "./lint-document.ts";

const path = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));
const text = readFileSync(path, "utf8");

type Operation = {
  operationId: string;
  responses: Record<
    string,
    { headers?: object; content: Record<string, { schema: unknown; examples?: object }> }
  >;
};
type Document = {
  openapi: string;
  info: { description: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
};
const document: Document = JSON.parse(text);

describe("docs/openapi.json", () => {
  test("has nothing that a linter of OpenAPI objects to", () => {
    expect(lintDocument(path)).toEqual([]);
  });

  test("describes every route of the stack, and no other", () => {
    const described = Object.entries(document.paths).flatMap(([route, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${route}`),
    );
    const routes = Object.values(synthesizeTemplate().Resources)
      .filter(({ Type }) => Type === "AWS::ApiGatewayV2::Route")
      .map(({ Properties }) => Properties["RouteKey"].replace("+}", "}"));
    // What no route takes is answered `route-unknown`; OpenAPI has no place for it.
    expect([...described, "$default"].sort()).toEqual(routes.sort());
  });

  test("has the version of the package", () => {
    const file = new URL("../../../package.json", import.meta.url);
    expect(document.info.version).toBe(JSON.parse(readFileSync(file, "utf8")).version);
  });

  test("has one representation of an order, whichever operation answers with it", () => {
    const {
      "/orders": all,
      "/orders/{orderNo}": singleOrder,
      "/payments/{paymentId}": payment,
    } = document.paths;
    const { "200": repeated, "201": created } = all!["post"]!.responses;
    const found = [singleOrder!["get"]!.responses["200"], payment!["get"]!.responses["200"]];
    const schemas = [repeated, created, ...found].map(
      (answer) => answer!.content["application/json"]!.schema,
    );
    expect(new Set(schemas.map((schema) => JSON.stringify(schema)))).toEqual(
      new Set(['{"$ref":"#/components/schemas/Order"}']),
    );
    expect(created!.headers).toHaveProperty("Location");
    expect(repeated!.headers).toBeUndefined();
    expect(document.components.schemas).not.toHaveProperty("Payment");
  });

  test("names the service's refusals where the service is asked for something that is not here", () => {
    const kinds = (path: string, method: string) =>
      Object.values(document.paths[path]![method]!.responses).flatMap(({ content }) =>
        Object.keys(content["application/problem+json"]?.examples ?? {}),
      );
    const refusals = ["service-busy", "service-unreachable"];
    expect(kinds("/orders", "post")).toEqual(
      expect.arrayContaining(["service-refused", ...refusals]),
    );
    expect(kinds("/payments/{paymentId}", "get")).toEqual(
      expect.arrayContaining(["payment-unknown", ...refusals]),
    );
  });

  test("tells of every kind of problem, each with an example", () => {
    const described = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.entries(responses))
      .flatMap(([status, { content }]) =>
        Object.entries(content["application/problem+json"]?.examples ?? {}).map(
          ([kind, { value }]) => {
            expect(value).toMatchObject({
              status: Number(status),
              type: problemOf(kind as never, "").type,
            });
            return kind;
          },
        ),
      );
    // No operation answers that there is none.
    expect([...new Set(described), "route-unknown"].sort()).toEqual([...problemKinds].sort());
  });

  test("lists every kind of problem with its status, when it comes and what to do", () => {
    for (const kind of problemKinds) {
      const { status, when, whatToDo } = problemDescriptions[kind];
      const row = `| \`urn:paycast:problem:${kind}\` | ${status} | ${when} | ${whatToDo} |`;
      expect(document.info.description).toContain(row);
    }
  });

  test("has the lengths of the interface", () => {
    const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
    expect(document.components.schemas).toMatchObject({
      NewOrder: { properties: { redirectUrl: orNull({ maxLength: 2048 }) } },
      OrderContent: {
        properties: {
          orderNo: { maxLength: 64 },
          orderDescription: orNull({ maxLength: 256 }),
          goods: { minItems: 1, maxItems: 100 },
        },
      },
      Goods: {
        properties: {
          referenceGoodsId: { maxLength: 64 },
          goodsName: { maxLength: 256 },
          goodsDesc: orNull({ maxLength: 256 }),
        },
      },
    });
  });
});

import { expect, test } from "vitest";
import { filterLine } from "../../../../tools/local/alarms/metric-filters.ts";
import { httpApi, lambda, role, useStacks } from "../stack/stack-fixture.ts";

const fixture = useStacks();
const format = JSON.stringify({ route: "$context.routeKey", status: "$context.status" });

function resources({ Format = format, filter = {} }: { Format?: string; filter?: object } = {}) {
  const api = httpApi(["GET /{how}"]);
  const AccessLogSettings = { DestinationArn: { "Fn::GetAtt": ["Log", "Arn"] }, Format };
  const Properties = { ...api.Stage.Properties, AccessLogSettings };
  return {
    Role: role,
    Fn: lambda("fn"),
    ...api,
    Stage: { ...api.Stage, Properties },
    Log: { Type: "AWS::Logs::LogGroup", Properties: {} },
    Other: { Type: "AWS::Logs::LogGroup", Properties: {} },
    Filter: {
      Type: "AWS::Logs::MetricFilter",
      Properties: {
        FilterPattern: '{ $.status = "5*" }',
        LogGroupName: { Ref: "Log" },
        MetricTransformations: [
          { MetricNamespace: "Shop", MetricName: "Failed", MetricValue: "1", DefaultValue: 0 },
        ],
        ...filter,
      },
    },
  };
}

const start = (changes: Parameters<typeof resources>[0]) => {
  fixture.write("fn", "export const handler = async () => ({ statusCode: 200 });");
  return fixture.start(resources(changes));
};

test("each line of the access log counts as 1 or 0 in the filter's metric", async () => {
  const { metricFilters } = await start({});
  const metric = { namespace: "Shop", name: "Failed", dimensions: {} };
  const written = (status: string) => filterLine(metricFilters, JSON.stringify({ status }), 7);
  expect(written("503")).toEqual([{ metric, atMilliseconds: 7, value: 1 }]);
  expect(written("200")).toEqual([{ metric, atMilliseconds: 7, value: 0 }]);
});

const MetricTransformations = (changes: object) => [
  { MetricNamespace: "S", MetricName: "F", MetricValue: "1", DefaultValue: 0, ...changes },
];

test.each([
  ["a misspelt field", { filter: { FilterPattern: '{ $.statsu = "5*" }' } }, /no field statsu/],
  ["another pattern", { filter: { FilterPattern: "ERROR" } }, /Filter\. .*filter pattern ERROR/],
  ["another log", { filter: { LogGroupName: { Ref: "Other" } } }, /not on the access log/],
  [
    "a value from the line",
    { filter: { MetricTransformations: MetricTransformations({ MetricValue: "$.latency" }) } },
    /MetricValue/,
  ],
  [
    "no default value",
    { filter: { MetricTransformations: MetricTransformations({ DefaultValue: undefined }) } },
    /DefaultValue/,
  ],
  [
    "dimensions",
    { filter: { MetricTransformations: MetricTransformations({ Dimensions: [] }) } },
    /Dimensions/,
  ],
  [
    "a variable that API Gateway does not have",
    { Format: JSON.stringify({ status: "$context.statsu" }) },
    /\$context\.statsu/,
  ],
  ["a format that is not JSON", { Format: "$context.status" }, /no flat JSON object/],
])("the local stack does not start with %s", async (_what, changes, reason) => {
  await expect(start(changes)).rejects.toThrow(reason);
});

test("the access log says what API Gateway and the function answered", async () => {
  const code = `export const handler = async ({ pathParameters: { how } }) => {
    if (how === "throw") throw new Error("secret detail");
    return { statusCode: 503 };
  };`;
  fixture.write("fn", code);
  const fields = {
    id: "$context.requestId",
    at: "$context.requestTimeEpoch",
    route: "$context.routeKey",
    status: "$context.status",
    ofFunction: "$context.integration.status",
    error: "$context.error.responseType",
  };
  const { api } = await fixture.start(resources({ Format: JSON.stringify(fields) }));
  const answers = [];
  for (const path of ["answer", "throw", "none/of/these"]) {
    answers.push(await fetch(`${api}/${path}`));
  }
  const lines = fixture.events.flatMap((event) =>
    event.kind === "request" ? [JSON.parse(event.accessLine ?? "")] : [],
  );
  const route = "GET /{how}";
  expect(lines).toMatchObject([
    { route, status: "503", ofFunction: "503", error: "-", at: expect.stringMatching(/^\d{13}$/) },
    { route, status: "500", ofFunction: "-" },
    { route: "-", status: "404", ofFunction: "-" },
  ]);
  expect(lines.map(({ id }) => id)).toEqual(
    answers.map(({ headers }) => headers.get("apigw-requestid")),
  );
});

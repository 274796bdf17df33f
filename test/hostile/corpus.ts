/**
 * What nobody sends who means well. It is made here, so that a reader sees what it is; each test file sends it to one kind
 * of input. Texts of JSON instead of values: only a text can have a key twice, or more digits than a double.
 */

const long = "x".repeat(70_000);

/** JSON that can stand in place of any field. */
const fragments: readonly string[] = [
  "null",
  "true",
  "0",
  "-0",
  "-1",
  "0.1",
  "-0.01",
  "1e400",
  "1e-400",
  "9007199254740993",
  // Times: the years 1 and 9999, and a millisecond after the last one that a Date can hold.
  "-62135596800000",
  "253402300799999",
  "8640000000000001",
  '"9999-12-31T23:59:59Z"',
  '"9007199254740993"',
  '"1e9"',
  '"NaN"',
  '"-0"',
  '"0x10"',
  '"١٢"',
  `1${"0".repeat(400)}`,
  `"${"9".repeat(400)}"`,
  `0.${"0".repeat(400)}1`,
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ufeff"',
  '"\\u202e"',
  '"a\\r\\nb: c"',
  '"\\u001b[2J\\u0007"',
  '"XXX"',
  '"../../etc/passwd"',
  '"<script>"',
  '"😀"',
  `"${long}"`,
  "[]",
  "[null]",
  "{}",
  '{"length":1}',
  '{"toString":1}',
  '{"__proto__":{"x":1}}',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  nested('[{"a":', "}]"),
];

/** Deeper than what a function can read or write that calls itself for each level. */
function nested(open: string, close: string, levels = 10_000): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** Bodies that are no JSON object, whatever their type says. */
export const bodies: readonly Buffer[] = [
  "",
  " \t\r\n",
  "\0",
  "\ufeff",
  "null",
  "0",
  '"x"',
  "[]",
  "[{}]",
  "NaN",
  "{}{}",
  "{/*x*/}",
  '{"merchantId":"shop-1"',
  "merchantId=shop-1&body=%00",
  "--x\r\nContent-Disposition: a\r\n\r\n1",
  '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>',
  "[".repeat(50_000),
  nested("[", "]", 40_000),
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from('\ufeff{"a":1}', "utf16le"),
    // In a JSON text: broken UTF-8, a slash in two bytes, half a surrogate pair; and something in gzip.
    ...["7b22c3282a223a317d", "22c0af22", "22eda08022", "1f8b08000000000000ffab56"].map((hex) =>
      Buffer.from(hex, "hex"),
    ),
  ]);

/** JSON objects that nobody expects. */
export const objects: readonly string[] = [
  '{"__proto__":{"merchantId":"shop-1"},"constructor":{"prototype":{}}}',
  '{"a":1,"a":2,"merchantId":"shop-1","merchantId":"shop-2"}',
  '{"":"","\\u0000":"\\u0000","\\ud800":"\\udfff"}',
  nested('{"a":', "}"),
  `{${Array.from({ length: 5_000 }, (_item, index) => `"f${index}":0`).join(",")}}`,
];

/** Texts in an address, an option or a header. */
export const texts: readonly string[] = [
  "-",
  "--",
  "-1",
  "0",
  "1e400",
  "9".repeat(40),
  "NaN",
  "*",
  "%",
  "%00",
  "\u0000",
  "null",
  "__proto__",
  "constructor",
  "..",
  "../../etc/passwd",
  "a/b",
  "a//b",
  "a\\b",
  " ",
  "\ufeff",
  "\u202e",
  "😀",
  "é",
  "'\"`$(id)",
  "{{x}}",
  "<script>",
  "?",
  "#",
  "a?b=c&d",
  "a\r\nb: c",
  "x".repeat(5_000),
];

/** Every fifth, others at each place: so all are used, but not everywhere. */
export function someOf<T>(all: readonly T[], place: number): readonly T[] {
  return all.filter((_item, index) => (index + place) % 5 === 0);
}

/** Addresses that a router may read in two ways. */
export const paths: readonly string[] = [
  "//",
  "//x",
  "/./",
  "/../",
  "/%2e%2e/",
  "/%2f",
  "/%5c",
  "/%",
  "/%zz",
  "/%00",
  "/%c0%af",
  "/?",
  "/?a=1&a=2&__proto__=3",
  "/?%",
  "/#",
  "/;a=b",
  "/callbacks/",
  "/Callbacks",
  "/orders/",
  "/orders//x",
  "/orders/a/b",
  "/orders/..%2fcallbacks",
  "/orders?orderNo=x",
  "/payments/",
  "/control/",
  "/control/../control",
  "/api/",
  "/api//orders",
  "/api/orders/%",
  "/api/x",
  `/${"a".repeat(8_000)}`,
  `/?${"a=1&".repeat(2_000)}`,
];

/** An object with one field spoilt at a time, as texts of JSON: each of its fields, or only those of these paths. */
export function spoilt(sample: object, only?: readonly string[]): readonly string[] {
  const whole = JSON.stringify(sample);
  const wanted = pathsOf(sample).filter((path) => only?.includes(path.join(".")) ?? true);
  return wanted.flatMap((path) => {
    const marked = JSON.stringify(replaced(sample, path, marker));
    return [
      ...fragments.map((fragment) => marked.replace(`"${marker}"`, () => fragment)),
      JSON.stringify(replaced(sample, path, undefined)),
      twice(whole, path.at(-1) ?? ""),
    ];
  });
}

const marker = "the spoilt field";

function twice(json: string, name: string): string {
  return json.replace(`"${name}":`, `"${name}":{"a":[0]},"${name}":`);
}

function pathsOf(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [
    [name],
    ...pathsOf(field).map((rest) => [name, ...rest]),
  ]);
}

function replaced(sample: object, [name = "", ...rest]: readonly string[], by: unknown): object {
  const old: unknown = Reflect.get(sample, name);
  const next = rest.length === 0 ? by : replaced(old as object, rest, by);
  if (Array.isArray(sample))
    return sample.map((element, index) => (index === Number(name) ? next : element));
  return { ...sample, [name]: next };
}

/** What a client may say about its body. */
export const bodyTypes: readonly string[] = [
  "application/json",
  "text/plain",
  "application/json; charset=utf-16",
  'text/x;;\t="',
  "",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=",
];

const requestLines = [
  "GET *",
  "GET x",
  "GET http://other.example/",
  "GET //other.example/",
  "GET /a b",
  "get /",
  "CONNECT /",
  "TRACE /",
  "HEAD /",
  "OPTIONS *",
  "GET /\x80",
  "G E T /",
  "BREW /",
  "\x00GET /",
];
const headerLines = [
  "Host: a\r\nHost: b",
  "Host:",
  "Origin: null",
  "Origin: http://other.example",
  "Expect: x",
  "Content-Length: -1",
  "Content-Length: 1\r\nContent-Length: 2",
  "Transfer-Encoding: x",
  "Transfer-Encoding: chunked\r\nContent-Length: 3",
  "Upgrade: websocket",
  "a b: c",
  ": c",
  "a: \x00",
  "Content-Type: \x80",
  "__proto__: x",
  `X: ${"x".repeat(70_000)}`,
];
const chunks = ["zz\r\n", "ffffffffffffffffff\r\n", "1\r\nab", "-1\r\n", "0;x=\x00\r\n\r\n"];

/** Requests that an HTTP library would not send. */
export function rawRequests(host: string): readonly string[] {
  const end = `Host: ${host}\r\nConnection: close\r\n\r\n`;
  const chunked = `POST /callbacks HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${end}`;
  return [
    "",
    "\r\n",
    "\x00",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\x16\x03\x01\x00\xa5\x01\x00",
    ...requestLines.map((line) => `${line} HTTP/1.1\r\n${end}`),
    ...headerLines.map((header) => `POST /orders HTTP/1.1\r\n${header}\r\n${end}`),
    ...chunks.map((chunk) => `${chunked}${chunk}`),
  ];
}

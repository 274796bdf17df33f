import { expect, test } from "vitest";
import { type JsonStyle, writeJson } from "../../../shared/envelope/json-style.ts";

const value = { url: "a:b,c/é", html: "<&='", list: [1, { quote: '"', none: "undefined" }] };

test.each<[style: JsonStyle, written: string]>([
  ["plain", `{"url":"a:b,c/é","html":"<&='","list":[1,{"quote":"\\"","none":"undefined"}]}`],
  ["php", `{"url":"a:b,c\\/\\u00e9","html":"<&='","list":[1,{"quote":"\\"","none":"undefined"}]}`],
  [
    "python",
    `{"url": "a:b,c/\\u00e9", "html": "<&='", "list": [1, {"quote": "\\"", "none": "undefined"}]}`,
  ],
  [
    "python-unicode",
    `{"url": "a:b,c/é", "html": "<&='", "list": [1, {"quote": "\\"", "none": "undefined"}]}`,
  ],
  [
    "gson",
    `{"url":"a:b,c/é","html":"\\u003c\\u0026\\u003d\\u0027","list":[1,{"quote":"\\"","none":"undefined"}]}`,
  ],
])("the style %s has its own spaces and escapes", (style, written) => {
  expect(writeJson(value, style)).toBe(written);
  expect(JSON.parse(written)).toEqual(value);
});

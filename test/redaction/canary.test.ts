import { expect, test } from "vitest";
import { createCanaries } from "./canary.ts";

const canaries = createCanaries();
const canary = canaries.text("the name");

test.each([
  ["whole", `x${canary}x`],
  ["in part", canary.slice(5, 11)],
  ["in base64, wherever it begins", Buffer.from(`12345${canary}`).toString("base64")],
  ["in base64, next place", Buffer.from(`123456${canary}`).toString("base64")],
  ["in base64, third place", Buffer.from(`1234567${canary}`).toString("base64")],
  ["in hex", Buffer.from(canary).toString("hex")],
  ["as JSON inside JSON", JSON.stringify(JSON.stringify({ name: canary }))],
])("a canary is found %s", (_case, text) => {
  expect(canaries.find(text)).toEqual(["the name"]);
});

test("its hash and other texts are not taken for it", () => {
  const other = createCanaries().text("another");
  expect(canaries.find(`${other} ${canary.slice(0, 5)} ${canary.toLowerCase()}`)).toEqual([]);
});

test("of many canaries no two have a part in common, and none has one that a word could hold", () => {
  const many = createCanaries();
  const texts = Array.from({ length: 5_000 }, (_item, index) => many.text(String(index)));
  const found = texts.map((text) => many.find(text));
  expect(found).toEqual(texts.map((_item, index) => [String(index)]));
  expect(texts.filter((text) => /[a-z]{6}/.test(text))).toEqual([]);
});

test("a canary of an allowed kind is not reported", () => {
  const id = canaries.text("the id", "id");
  expect(canaries.find(id, ["id"])).toEqual([]);
  expect(canaries.find(`${id} ${canary}`, ["id"])).toEqual(["the name"]);
});

test("digits and times are found as they are, a time also as text", () => {
  const amount = canaries.digits("the amount");
  const time = canaries.time("the time");
  expect(canaries.find(`${amount}.50 ${time}`)).toEqual(["the amount", "the time"]);
  expect(canaries.find(new Date(time).toISOString())).toEqual(["the time"]);
});

import { expect, test } from "vitest";
import { allowSources } from "../../../shared/receiving/allowed-sources.ts";

const blocks = ["203.0.113.0/24", "198.51.100.7", "2001:db8:1::/48", "2001:db8:2::1"];

test.each([
  ["203.0.113.255", true],
  ["203.0.114.0", false],
  ["198.51.100.7", true],
  ["198.51.100.8", false],
  ["2001:db8:1:ffff::1", true],
  ["2001:db8:2::1", true],
  ["2001:db8:2::2", false],
  ["::ffff:203.0.113.9", true],
  ["203.0.113.9, 192.0.2.1", false],
  ["", false],
])("from %j: %s", (address, expected) => {
  expect(allowSources(blocks)(address)).toBe(expected);
});

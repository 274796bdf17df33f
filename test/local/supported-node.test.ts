import { expect, test } from "vitest";
import { refusalOfNode } from "../../local/supported-node.mjs";

test.each(["20.12.0", "20.20.2", "22.0.0", "24.11.1", "100.0.0"])(
  "Node %s runs Paycast",
  (version) => {
    expect(refusalOfNode(version)).toBeUndefined();
  },
);

test.each(["8.17.0", "18.20.8", "19.9.0", "20.9.0", "20.11.1"])(
  "Node %s is refused with the version that is needed",
  (version) => {
    expect(refusalOfNode(version)).toMatch(
      `Paycast needs Node 20.12 or later, and this is Node ${version}.`,
    );
  },
);

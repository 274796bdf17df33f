import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import {
  alarmsFile,
  functionLogFile,
  queueMetricsFile,
  stackTemplateFile,
} from "../../../../tools/operations/target/local-target.ts";

test("each file of a local stack is in its directory, under a name of its own", () => {
  const files = [alarmsFile, functionLogFile, queueMetricsFile, stackTemplateFile].map((fileIn) =>
    fileIn("/stack"),
  );
  expect(files.map((file) => dirname(file))).toEqual(files.map(() => "/stack"));
  expect(new Set(files.map((file) => basename(file))).size).toBe(files.length);
});

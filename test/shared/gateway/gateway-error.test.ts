import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";

describe("a gateway error", () => {
  test.each<[GatewayFailure, mayHaveActed: boolean, retryable: boolean]>([
    ["refused", false, false],
    ["busy", false, true],
    ["unreachable", false, true],
    ["timed-out", true, true],
    ["unreadable", true, true],
  ])("of a call that is %s says what may have happened", (failure, mayHaveActed, retryable) => {
    expect(new GatewayError(failure)).toMatchObject({
      code: `gateway-${failure}`,
      mayHaveActed,
      retryable,
    });
  });

  test("keeps its name in a bundle, where names of classes are shortened", async () => {
    const path = fileURLToPath(
      new URL("../../../shared/gateway/gateway-error.ts", import.meta.url),
    );
    const options = { bundle: true, minify: true, format: "esm", write: false } as const;
    const [file] = buildSync({ entryPoints: [path], ...options }).outputFiles;
    const code = Buffer.from(file!.contents).toString("base64");
    const bundle = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
    expect(bundle.GatewayError.name).not.toBe("GatewayError");
    expect(new bundle.GatewayError("busy").name).toBe("GatewayError");
  });
});

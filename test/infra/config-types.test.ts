import { expectTypeOf, test } from "vitest";
import type { ConfigInput } from "../../infra/config/config.ts";
import type { PaycastConfig } from "../../infra/config/paycast-config.ts";

type DeepReadonly<T> = T extends string | number | boolean | undefined
  ? T
  : { readonly [K in keyof T]: DeepReadonly<T[K]> };

test("the documented config and the schema that is enforced have the same fields and values", () => {
  // Checked by the compiler: `npm run check` fails if they differ.
  expectTypeOf<DeepReadonly<PaycastConfig>>().toEqualTypeOf<DeepReadonly<ConfigInput>>();
});

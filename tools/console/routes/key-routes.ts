import type { Operation } from "../../operations/described/description.ts";
import { fieldsOf } from "../../operations/described/input-fields.ts";
import { keys } from "../../operations/keys/keys.ts";
import type { ConsoleContext } from "../console-context.ts";
import {
  describedRoutes,
  forgetting,
  reportRoutes,
  shareLook,
} from "../server/described-routes.ts";
import type { ApiRoute } from "../server/route.ts";

/** A check reads records and queries the payment service. On AWS the reads cost money. */
const freshMilliseconds = { local: 5_000, deployed: 5 * 60_000 };

export function keyRoutes(context: ConsoleContext): ApiRoute[] {
  const fresh = context.lab === undefined ? freshMilliseconds.deployed : freshMilliseconds.local;
  const keyReaders = keys.operations.flatMap((operation) =>
    operation.kind === "look" ? [{ operation, ...shareLook(context, operation, fresh) }] : [],
  );
  const forget = () => {
    for (const look of keyReaders) look.forget();
  };
  const changes = keys.operations.flatMap((operation) =>
    operation.kind === "change" && !takesKeys(operation) ? [forgetting(operation, forget)] : [],
  );
  return [
    ...keyReaders.flatMap(({ operation, ...look }) => reportRoutes(keys, operation, look)),
    ...describedRoutes(context, { ...keys, operations: changes }),
  ];
}

/** Keys come from files that only the operator has, so these changes need the command. */
function takesKeys(operation: Operation): boolean {
  return fieldsOf(operation).some(({ isKeyFile }) => isKeyFile);
}

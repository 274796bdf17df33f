import * as z from "zod";
import { parseJson } from "../shared/parse-json.ts";
import { allowShop } from "./shop-address.ts";

type Variables = Readonly<Record<string, string>>;

const sourcesSchema = z.array(z.string());

/** What differs on this machine from the template, which is deployed. */
export function localVariables(shop: string): (variables: Variables) => Variables {
  const withShop = allowShop(shop);
  return (variables) => ({ ...withShop(variables), ...allowLoopback(variables) });
}

/** The payment service of this machine calls from this machine. */
function allowLoopback({ ALLOWED_SOURCES }: Variables): Variables {
  if (ALLOWED_SOURCES === undefined) return {};
  const configured = sourcesSchema.parse(parseJson(ALLOWED_SOURCES));
  return { ALLOWED_SOURCES: JSON.stringify([...configured, "127.0.0.0/8", "::1"]) };
}

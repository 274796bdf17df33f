import type { ConfigInput, RemovalChoice } from "./config-schema.ts";

/**
 * The documented types of the config. Here they follow from config-schema.ts. In the package they are written out, with the
 * schema's descriptions as comments: tools/contract/generated-types/config-types.ts.
 */
export type PaycastConfig = Documented<ConfigInput>;

export type { RemovalChoice };
export type PaycastSubscriber = PaycastConfig["subscribers"][number];
export type PaycastEventPattern = PaycastSubscriber["types"][number];
export type PaycastCallbacks = NonNullable<PaycastConfig["callbacks"]>;
export type PaycastGateway = NonNullable<PaycastConfig["gateway"]>;
export type PaycastStorefront = NonNullable<PaycastConfig["storefront"]>;
export type PaycastDomain = NonNullable<PaycastConfig["domain"]>;
export type PaycastConcurrency = NonNullable<PaycastConfig["concurrency"]>;
export type PaycastEgress = NonNullable<PaycastConfig["egress"]>;
export type PaycastSecrets = NonNullable<PaycastConfig["secrets"]>[string];
export type PaycastAlarms = NonNullable<PaycastConfig["alarms"]>;
export type PaycastAlarmListener = NonNullable<PaycastAlarms["morning"]>;

/** The schema's types have mutable lists. Users may also pass readonly ones. */
type Documented<T> = T extends string | number | boolean | undefined
  ? T
  : { readonly [K in keyof T]: Documented<T[K]> };

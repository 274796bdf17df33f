/** What the package `paycast` exports. */

export type { PaycastAlarm } from "../../../infra/alarms/paycast-alarm.ts";
export type {
  PaycastAlarmListener,
  PaycastAlarms,
  PaycastCallbacks,
  PaycastConcurrency,
  PaycastConfig,
  PaycastDomain,
  PaycastEgress,
  PaycastEventPattern,
  PaycastGateway,
  PaycastSecrets,
  PaycastStorefront,
  PaycastSubscriber,
  RemovalChoice,
} from "../../../infra/config/paycast-config.ts";
export type { PaycastProps } from "../../../infra/config/paycast-props.ts";
export { Paycast } from "../../../infra/paycast.ts";

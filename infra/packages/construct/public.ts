/** What the package `paycast` exports. */
export { PaycastConsumer, type PaycastConsumerProps } from "../../consuming/paycast-consumer.ts";
export {
  importPaycastQueue,
  type PaycastQueue,
  type PaycastQueueAttributes,
} from "../../consuming/paycast-queue.ts";
export { Paycast } from "../../paycast.ts";
export type { PaycastAlarm } from "../../paycast-alarm.ts";
export type { PaycastAlarmListener, PaycastAlarms } from "../../paycast-alarms.ts";
export type {
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
} from "../../paycast-config.ts";
export type { PaycastProps } from "../../paycast-props.ts";

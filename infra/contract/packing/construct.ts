/** What the package `paycast` exports. */

export type { PaycastAlarm } from "../../alarms/paycast-alarm.ts";
export type { PaycastAlarmListener, PaycastAlarms } from "../../config/paycast-alarms.ts";
export type {
  PaycastCallbacks,
  PaycastConcurrency,
  PaycastConfig,
  PaycastDomain,
  PaycastEgress,
  PaycastGateway,
  PaycastSecrets,
  PaycastStorefront,
  RemovalChoice,
} from "../../config/paycast-config.ts";
export type { PaycastProps } from "../../config/paycast-props.ts";
export type { PaycastEventPattern, PaycastSubscriber } from "../../config/paycast-subscriber.ts";
export { PaycastConsumer, type PaycastConsumerProps } from "../../consuming/paycast-consumer.ts";
export {
  importPaycastQueue,
  type PaycastQueue,
  type PaycastQueueAttributes,
} from "../../consuming/paycast-queue.ts";
export { Paycast } from "../../paycast.ts";

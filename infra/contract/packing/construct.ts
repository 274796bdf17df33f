/** What the package `paycast` exports. */

export type { PaycastAlarm } from "../../alarms/paycast-alarm.ts";
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
} from "../../config/paycast-config.ts";
export type { PaycastProps } from "../../config/paycast-props.ts";
export { PaycastConsumer } from "../../consuming/paycast-consumer.ts";
export {
  importPaycastQueue,
  type PaycastConsumerProps,
  type PaycastQueue,
  type PaycastQueueAttributes,
} from "../../consuming/paycast-queue.ts";
export { Paycast } from "../../paycast.ts";

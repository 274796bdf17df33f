import type { Service } from "../../integration/fault-proxy.ts";

/** What was broken on purpose. */
export interface Broken {
  /** For people. */
  readonly what: string;
  /** The AWS service that failed. */
  readonly service?: Service | undefined;
  /** The subscriber whose queue did not exist. */
  readonly queue?: string | undefined;
}

/** A time in which something was broken on purpose. */
export interface Disturbance extends Broken {
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
  /** No call of the API can fail because of it, so none is excused by it afterwards. */
  readonly sparesCalls?: boolean | undefined;
}

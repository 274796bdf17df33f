/** A time in which something was broken on purpose. */
export interface Disturbance {
  readonly what: string;
  readonly fromMilliseconds: number;
  readonly untilMilliseconds: number;
  /** No call of the API can fail because of it, so none is excused by it afterwards. */
  readonly sparesCalls?: boolean | undefined;
}

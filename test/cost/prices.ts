/** List prices of us-east-1 in US dollars, without free tiers, collected in November 2026 (docs/cost.md). */
export const prices = {
  apiRequest: 1.0e-6,
  lambdaInvocation: 0.2e-6,
  lambdaGigabyteSecond: 13.3334e-6,
  sqsFifoRequest: 0.5e-6,
  sqsStandardRequest: 0.4e-6,
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  logByte: 0.5 / 1024 ** 3,
  /** These are for a month. An alarm costs as much for each metric that it compares. */
  alarmMetric: 0.1,
  metric: 0.3,
  dashboard: 3,
  secret: 0.4,
};

/** CloudWatch counts 26 bytes for each line beside its text, and Lambda writes some 450 bytes of its own for each call. */
export const bytesBesideLine = 26;
export const bytesOfLambda = 450;

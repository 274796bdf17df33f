/** The region and account of everything local. The SQS emulator has no other account. */
export const localRegion = "us-east-1";
export const localAccountId = "000000000000";

export const localPlace = {
  partition: "aws",
  region: localRegion,
  accountId: localAccountId,
} as const;

/** The statistics that the template uses. Each reduces the values of a period to one. */
export const statistics = {
  Sum: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values: readonly number[]) => Math.max(...values),
  SampleCount: (values: readonly number[]) => values.length,
} as const;

export type Statistic = keyof typeof statistics;

/** Where an alarm sends a message when it starts, and another one when it is over: a topic, an address, or both. */
export interface PaycastAlarmListener {
  /** ARN of a standard SNS topic in the stack's region. */
  readonly topicArn?: string | undefined;
  /** An email address. AWS asks it for its consent after the deployment, and sends nothing before. */
  readonly email?: string | undefined;
}

export interface PaycastAlarms extends PaycastAlarmListener {
  /**
   * Hears of the alarms that can wait for the morning. Then the others are only those that should wake a person.
   * @default the same as for all others
   */
  readonly morning?: PaycastAlarmListener | undefined;
}

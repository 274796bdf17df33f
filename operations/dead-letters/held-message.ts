/** A message that was received and not deleted. Others do not see it until it is given back. */
export interface HeldMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Undefined on a queue without order. */
  readonly group: string | undefined;
  readonly attributes: Readonly<Record<string, HeldAttribute>>;
  /** On a FIFO queue: when it came to this queue. On a standard queue: when it was first sent. */
  readonly sentAtMilliseconds: number;
  /** How often it was received from this queue, including this time. */
  readonly receiveCount: number;
}

export interface HeldAttribute {
  readonly dataType: string;
  readonly text: string | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** The text of an attribute, such as the reason of a quarantined message. */
export function attributeText(message: HeldMessage, name: string): string | undefined {
  return message.attributes[name]?.text;
}

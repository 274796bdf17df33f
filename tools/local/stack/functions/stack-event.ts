/** Something that happened in the running stack, to be shown to the user. */
export type StackEvent =
  | {
      readonly kind: "request";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly durationMilliseconds: number;
      readonly functionName?: string;
      /** Its line in the access log, if the template declares one. */
      readonly accessLine?: string;
    }
  | {
      readonly kind: "batch";
      readonly functionName: string;
      readonly queueName: string;
      readonly messages: number;
      readonly failed: number;
      readonly durationMilliseconds: number;
    }
  | {
      readonly kind: "schedule";
      readonly functionName: string;
      readonly durationMilliseconds: number;
    }
  | {
      readonly kind: "invoked";
      readonly functionName: string;
      readonly outcome: "done" | "failed" | "throttled";
    }
  | {
      readonly kind: "alarm";
      readonly name: string;
      /** What it means, what to do first, its severity and its section of the runbook. */
      readonly description: string;
      readonly isRinging: boolean;
    }
  | { readonly kind: "reload"; readonly functionName: string }
  | { readonly kind: "output"; readonly functionName: string; readonly line: string }
  | { readonly kind: "failure"; readonly functionName: string; readonly reason: string }
  | { readonly kind: "notice"; readonly message: string };

export type StackLog = (event: StackEvent) => void;

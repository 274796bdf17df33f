/** The settings that a function's worker gets at its start. */
export interface WorkerSettings {
  readonly moduleUrl: string;
  readonly exportName: string;
  /** The parts of Lambda's context object that are the same for each event. */
  readonly context: Readonly<Record<string, string>>;
}

export interface ToWorker {
  readonly eventJson: string;
  readonly requestId: string;
  readonly deadlineMilliseconds: number;
}

interface Failure {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly stack: string;
}

export type FromWorker =
  | { readonly kind: "ready" }
  | ({ readonly kind: "init-failed" } & Failure)
  | { readonly kind: "result"; readonly resultJson: string }
  | ({ readonly kind: "error" } & Failure);

import type { Database } from "../../../shared/table/database.ts";

/** The table of callback records, for the functions of `shared/records`, `shared/attention` and `shared/table`. */
export interface Records {
  readonly table: string;
  readonly database: Database;
}

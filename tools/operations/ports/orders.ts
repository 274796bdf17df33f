import type { Database } from "../../../shared/table/database.ts";

/** The table of orders and payments, for the functions of `shared/orders` and `shared/table`. */
export interface Orders {
  readonly table: string;
  readonly database: Database;
}

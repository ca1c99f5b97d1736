import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * The planner finds free codes by the index of free codes. As long as its statistics say that all codes are free, it takes the index of
 * all codes of a campaign for as good, and reads all published ones to find the next. Without statistics it assumes that few codes are
 * free (docs/decisions/0054-publication-batches.md).
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table vouchers alter column publish_count set statistics 0`.execute(db)
  // Only PostgreSQL 18 and newer can forget what it has collected; others keep it, and plan as before.
  await sql`do $$ begin
    if to_regprocedure('pg_clear_attribute_stats(text,text,text,boolean)') is not null then
      perform pg_clear_attribute_stats(current_schema()::text, 'vouchers', 'publish_count', false);
    end if;
  end $$`.execute(db)
}

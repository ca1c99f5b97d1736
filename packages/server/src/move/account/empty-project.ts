import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'

/** What a shop would begin with. Each may have rows that every new project gets. */
const tables = {
  customers: 0,
  campaigns: 0,
  vouchers: 0,
  orders: 0,
  categories: 0,
  validation_rules: 0,
  stacking_rules: 0,
  metadata_schemas: 0,
  custom_event_schemas: 0,
  segments: 0,
  locations: 0,
  rewards: 0,
  products: 1,
  product_collections: 1,
} as const

/** Whether a project has nothing but what every new one has. */
export async function isEmptyProject(db: Db, projectId: string): Promise<boolean> {
  const conditions = Object.entries(tables).map(
    ([table, builtIn]) =>
      sql`(select count(*) from (select from ${sql.table(table)} where project_id = ${projectId} limit 2) found) <= ${builtIn}`,
  )
  const { rows } = await sql<{ is_empty: boolean }>`select ${sql.join(conditions, sql` and `)} as is_empty`.execute(db)
  return rows[0]?.is_empty === true
}

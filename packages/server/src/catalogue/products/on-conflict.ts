import { type RawBuilder, sql } from 'kysely'

// The `on conflict do update` assignments for a product or SKU whose source id exists already, one per column.

type Table = 'products' | 'skus'

/** Sets the column to the sent value, also to null. */
export const replaced = (column: string): RawBuilder<unknown> => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`

/** Sets the column to the sent value, unless that is null. */
export const replacedIfGiven = (table: Table, column: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} = coalesce(excluded.${sql.ref(column)}, ${sql.ref(`${table}.${column}`)})`

/** Sets the sent keys and keeps the others (docs/reference/metadata-schemas.md#writing-metadata). */
export const mergedMetadataSql = (table: Table): RawBuilder<unknown> =>
  sql`metadata = ${sql.ref(`${table}.metadata`)} || excluded.metadata`

import { type RawBuilder, sql } from 'kysely'

// What becomes of a product or SKU that an insert finds under its source id, column by column.

type Table = 'products' | 'skus'

/** The column takes what was sent, null as well. */
export const replaced = (column: string): RawBuilder<unknown> => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`

/** The column takes what was sent, unless that is null. */
export const replacedIfGiven = (table: Table, column: string): RawBuilder<unknown> =>
  sql`${sql.ref(column)} = coalesce(excluded.${sql.ref(column)}, ${sql.ref(`${table}.${column}`)})`

/** Sent keys are set, the others stay (docs/reference/metadata-schemas.md#writing-metadata). */
export const mergedMetadata = (table: Table): RawBuilder<unknown> =>
  sql`metadata = ${sql.ref(`${table}.metadata`)} || excluded.metadata`

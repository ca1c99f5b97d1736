import { sql } from 'kysely'
import type { StatisticsSource } from '../../core/db/tables.ts'

/** The tables whose rows are added up, with the column in whose order those without a position are walked through. */
export const walkKeys = {
  redemptions: sql.ref('r.id'),
  publications: sql.ref('r.id'),
  postings: sql.ref('r.voucher_id'),
  orders: sql.ref('r.id'),
} as const satisfies Record<StatisticsSource, unknown>

export const sourceNames = Object.keys(walkKeys) as StatisticsSource[]

import type { Generated } from 'kysely'
import type { Instant } from '../../lib/instant.ts'

/** Sums for statistics (docs/decisions/0064-statistics-from-sums.md). */
export interface StatisticsTables {
  statistics_progress: StatisticsProgressRow
  statistics_history: { project_id: string; source: StatisticsSource; walked_to: Generated<string> }
}

/** The tables whose rows are added up. */
export type StatisticsSource = 'redemptions' | 'publications' | 'postings' | 'orders'

/** The position up to which the rows of each table are in the sums of a project. */
export type StatisticsProgressRow = { project_id: string; added_up_at: Generated<Instant> } & {
  [Source in StatisticsSource as `${Source}_to`]: Generated<number>
}

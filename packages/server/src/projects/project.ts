import type { Selectable } from 'kysely'
import type { ProjectRow } from '../db/tables.ts'

/** A project as it is stored: its settings decide how every request of it is admitted and answered. */
export type Project = Selectable<ProjectRow>

import type { Selectable } from 'kysely'
import type { ProjectRow } from './tables.ts'

/** A project as it is stored: its settings decide how every request of it is admitted and answered. */
export type Project = Selectable<ProjectRow>

/** What the client side of a project may do (docs/reference/client-side.md#common-rules). */
export type ProjectFlag = Extract<keyof ProjectRow, `client_${string}_enabled`>

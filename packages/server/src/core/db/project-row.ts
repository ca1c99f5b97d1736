import type { Selectable } from 'kysely'
import type { ProjectRow } from './tables.ts'

/** A project row: its settings determine how requests are admitted and answered. */
export type Project = Selectable<ProjectRow>

/** Settings that enable client-side operations of a project (docs/reference/client-side.md#common-rules). */
export type ProjectFlag = Extract<keyof ProjectRow, `client_${string}_enabled`>

import type { Writable } from 'node:stream'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { exportProject } from '../move/rows/export.ts'
import { writeText } from '../move/rows/files.ts'
import type { ExportEnd } from '../move/rows/format.ts'
import { interruptible } from './interruptible.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

export interface ExportOptions {
  project?: string | undefined
  /** A file; without one, or with `-`, standard output. */
  out?: string | undefined
  gzip?: boolean | undefined
}

/** Writes everything that a project owns as JSON lines, beside nodes that serve. */
export async function exportCommand(
  { settings, say }: CommandEnvironment,
  { project, out = '-', gzip = false }: ExportOptions,
  standardOutput: Writable,
): Promise<void> {
  await interruptible('Interrupted: the export is not complete.', (signal) =>
    withDatabase(settings, async (db) => {
      const found = await findProjectOrOnly(db, project)
      let end: ExportEnd | undefined
      async function* lines() {
        end = yield* exportProject(db, found, Date.now())
      }
      await writeText(lines(), { to: out === '-' ? standardOutput : out, gzip, signal })
      if (out !== '-') say(`Exported ${end?.rows} rows of ${found.name} (${found.id}) to ${out}.\n`)
    }),
  )
}

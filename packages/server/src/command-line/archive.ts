import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { archivePartitions } from '../move/archive/archive.ts'
import { openArchive } from '../move/archive/file.ts'
import { type ArchiveKindName, archiveKinds } from '../move/archive/kinds.ts'
import { restoreArchive } from '../move/archive/restore.ts'
import { interruptible } from './interruptible.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

/** Retries of a webhook last a day, and somebody should have the time to notice that it fails. */
const dropDelayDays = 7

export interface ArchiveCommandOptions {
  before?: string | undefined
  out?: string | undefined
  project?: string | undefined
  only?: string | undefined
  drop?: boolean | undefined
}

/** Writes old events and entries of the audit log into files, beside nodes that serve, and drops them if asked to. */
export async function archiveCommand(
  { settings, say }: CommandEnvironment,
  { before = '', out = '.', project, only, drop = false }: ArchiveCommandOptions,
): Promise<void> {
  const moment = momentOfDate(before)
  if (moment > Date.now()) throw new Error('--before must not be in the future.')
  if (drop && project !== undefined) throw new Error('--drop takes the rows of all projects: leave --project out.')
  if (drop && moment > Date.now() - dropDelayDays * 86_400_000)
    throw new Error(
      `--drop takes no date of the last ${dropDelayDays} days: webhooks may still wait for what happened then.`,
    )
  const kinds = kindsOf(only)
  await interruptible('Interrupted: the same command goes on where it stopped.', (signal) =>
    withDatabase(settings, async (db) => {
      let files = 0
      await archivePartitions(db, {
        kinds,
        before: moment,
        folder: out,
        project_id: project === undefined ? null : (await findProjectOrOnly(db, project)).id,
        drop,
        signal,
        onFile({ path, rows, was_there, is_dropped }) {
          files += 1
          const rest = `${was_there ? ', was written before' : ''}${is_dropped ? ', dropped from the database' : ''}`
          say(`${path}: ${rows} rows${rest}.\n`)
        },
      })
      if (files === 0) say(`No month of events and no day of the audit log ends before ${before}.\n`)
    }),
  )
}

/** Prints the rows of a file as JSON lines. */
export async function readArchiveCommand(path: string, standardOutput: Writable): Promise<void> {
  await interruptible('Interrupted.', async (signal) => {
    const { rows } = await openArchive(path, signal)
    async function* lines() {
      for await (const row of rows) yield `${row}\n`
    }
    await pipeline(lines, standardOutput, { end: false, signal })
  })
}

/** Puts the rows of a file back into the database. */
export async function restoreArchiveCommand({ settings, say }: CommandEnvironment, path: string): Promise<void> {
  await interruptible('Interrupted: the same command goes on where it stopped.', (signal) =>
    withDatabase(settings, async (db) => {
      const { rows, inserted } = await restoreArchive(db, path, {
        retention_days: { events: settings.event_retention_days, 'audit-log': settings.audit_retention_days },
        now: Date.now(),
        signal,
      })
      say(`Restored ${inserted} of ${rows} rows; the others were there already, or their project was deleted.\n`)
    }),
  )
}

function momentOfDate(text: string): number {
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(moment)) throw new Error('--before must be a date such as 2026-01-01, in UTC.')
  return moment
}

function kindsOf(only: string | undefined): ArchiveKindName[] {
  const all = Object.keys(archiveKinds) as ArchiveKindName[]
  if (only === undefined) return all
  const wanted = only.split(',')
  const unknown = wanted.find((name) => !(name in archiveKinds))
  if (unknown !== undefined) throw new Error(`--only must be of ${all.join(', ')}, not "${unknown}".`)
  return all.filter((name) => wanted.includes(name))
}

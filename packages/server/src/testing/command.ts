import { mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { CommandEnvironment } from '../command-line/outside.ts'
import { connectPglite } from '../core/db/connect.ts'
import { readSettings } from '../core/settings.ts'
import { atEnd } from './closings.ts'
import { newPostgresDatabase } from './database.ts'

export interface TestCommands {
  environment: CommandEnvironment
  /** Runs a command and returns what it said. */
  outputOf(run: (environment: CommandEnvironment) => Promise<void>): Promise<string>
}

/** What a command gets from main.ts, on a migrated database as it is before the first start, or on one without tables. */
export async function newCommands(env: Record<string, string> = {}, { migrated = true } = {}): Promise<TestCommands> {
  const settings = readSettings({ ...(await databaseOf({ migrated })), LOG_LEVEL: 'warn', ...env })
  let output = ''
  const environment: CommandEnvironment = {
    settings,
    is_terminal: true,
    say(text) {
      output += text
    },
  }
  return {
    environment,
    async outputOf(run) {
      output = ''
      await run(environment)
      return output
    },
  }
}

/** Settings that name a new database. */
export async function databaseOf({ migrated }: { migrated: boolean }): Promise<Record<string, string>> {
  const provided = inject('database')
  if (provided.kind === 'postgres') {
    const { url, drop } = await newPostgresDatabase({ migrated })
    atEnd(drop)
    return { DATABASE_URL: url }
  }
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-data-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  await (
    await connectPglite({ folder, snapshot: await openAsBlob(migrated ? provided.snapshot : provided.empty) })
  ).close()
  return { GUERDON_DATA_DIR: folder }
}

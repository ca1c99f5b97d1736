import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Database } from '../core/db/database.ts'

/** Dumps of databases of past releases, and the recorded responses of those releases (scripts/record-release.mjs). */
const folder = new URL('./releases/', import.meta.url)
const unpacked = (file: string) => gunzipSync(readFileSync(new URL(file, folder))).toString()

export const pastReleases: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql.gz'))
  .map((file) => file.slice(0, -'.sql.gz'.length))

interface Recording {
  base_url: string
  recorded_at: string
  app: [id: string, token: string]
  answers: Array<{ path: string; body: unknown }>
}

export const recordingOf = (release: string): Recording => JSON.parse(unpacked(`${release}.json.gz`))

/** Fills an empty database with the tables and rows of a past release. */
export async function restoreRelease(database: Database, release: string): Promise<void> {
  const settings =
    'reset search_path; reset check_function_bodies; reset row_security;' +
    'reset statement_timeout; reset lock_timeout; reset idle_in_transaction_session_timeout;'
  await database.execute(`${unpacked(`${release}.sql.gz`)}\n${settings}`)
}

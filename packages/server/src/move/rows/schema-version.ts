import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { newestMigration } from '../../core/db/migrate.ts'
import { version } from '../../core/lib/version.ts'
import { type ExportHeader, formatVersion } from './format.ts'

/** Refuses a database that another release has migrated: its columns may not be those that this release knows. */
export async function requireOwnSchema(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name desc limit 1`.execute(db)
  const found = rows[0]?.name ?? 'none'
  if (found === newestMigration) return
  throw new Error(
    found < newestMigration
      ? `The database is at migration ${found}, and Guerdon ${version} needs ${newestMigration}: run guerdon migrate first.`
      : `The database is at migration ${found}, which Guerdon ${version} does not know: use the release that serves it.`,
  )
}

/** Why this release cannot read a file, and which one can; null if it can. */
export function whyNotReadable({ guerdon_export, release, migration }: ExportHeader): string | null {
  if (guerdon_export === formatVersion && migration === newestMigration) return null
  const wrote = `Guerdon ${release} wrote this file (format ${guerdon_export}, migration ${migration})`
  return guerdon_export > formatVersion || migration > newestMigration
    ? `${wrote}, and this is ${version} (format ${formatVersion}, migration ${newestMigration}). Upgrade this instance to ${release} first.`
    : `${wrote}, and this is ${version} (format ${formatVersion}, migration ${newestMigration}). ` +
        `Import it with Guerdon ${release} into an empty database, then upgrade that database to ${version}.`
}

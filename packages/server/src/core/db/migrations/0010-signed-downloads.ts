import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Download links of exports are signed and expire: the tokens of earlier links, which were stored as they are, are deleted. */
export async function up(db: Db): Promise<void> {
  await sql`alter table exports alter column token set default ''`.execute(db)
  await sql`update files f set token_hash = null from exports e
    where e.project_id = f.project_id and e.file_id = f.id and f.token_hash is not null`.execute(db)
  await sql`update exports set token = '' where token <> ''`.execute(db)
}

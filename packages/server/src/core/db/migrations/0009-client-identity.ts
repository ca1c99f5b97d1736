import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * What a client-side request may see. Projects that exist already keep accepting claimed identities, so that an upgrade does not
 * stop their pages; the operator switches them to `proven`.
 */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table projects
      add column client_identity text not null default 'claimed' check (client_identity in ('proven', 'claimed')),
      add column client_public_campaigns jsonb not null default '[]',
      add column client_public_codes jsonb not null default '[]'`.execute(db)
}

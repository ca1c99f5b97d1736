import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * What a customer agreed to stays readable: deleted consents are kept as such, each decision refers to the text that was in force,
 * and says whether the customer was proven (docs/decisions/0053-consents.md). Logins are in lower case
 * (docs/decisions/0051-users-and-one-time-links.md).
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await lowerLogins(db)
}

/**
 * By JavaScript, as new logins are: `lower` of the database depends on its locale. A user whose login would equal that of another one
 * keeps theirs as it is.
 */
async function lowerLogins(db: Db): Promise<void> {
  const { rows } = await sql<{
    id: string
    login: string
  }>`select id, login from users order by created_at, id`.execute(db)
  const taken = new Set(rows.map(({ login }) => login))
  for (const { id, login } of rows) {
    const lower = login.toLowerCase()
    if (taken.has(lower)) continue
    await sql`update users set login = ${lower} where id = ${id}`.execute(db)
    taken.add(lower)
  }
  await sql`create unique index users_login on users (login)`.execute(db)
}

const statements = [
  'alter table consents add column deleted_at timestamptz(3), add column text_number integer not null default 1',
  'alter table consents alter column text_number drop default, drop constraint consents_project_id_name_key',
  'create unique index consents_name on consents (project_id, name) where deleted_at is null',
  // Once per text and not in each decision, of which there may be millions.
  `create table consent_texts (
    project_id text collate "C" not null,
    consent_id text collate "C" not null,
    number integer not null,
    name text not null,
    description text not null,
    created_at timestamptz(3) not null,
    primary key (project_id, consent_id, number)
  )`,
  `insert into consent_texts (project_id, consent_id, number, name, description, created_at)
    select project_id, id, 1, name, description, coalesce(updated_at, created_at) from consents`,
  'alter table consent_decisions add column is_proven boolean not null default false, add column text_number integer',
  'alter table consent_decisions alter column is_proven drop default',
  // Of a page it is not known any more whether it proved the customer; nor the text, if that has changed since.
  `update consent_decisions set is_proven = true where channel <> 'CLIENT_API'`,
  `update consent_decisions d set text_number = t.number from consent_texts t
    where t.project_id = d.project_id and t.consent_id = d.consent_id and t.created_at <= d.decided_at`,
  // Of consents that were deleted before, nothing but the id is left.
  `insert into consents (project_id, id, name, description, category, created_at, updated_at, deleted_at, text_number)
    select d.project_id, d.consent_id, d.consent_id, '', '', min(d.decided_at), null, now(), 0
    from consent_decisions d
    where not exists (select from consents c where c.project_id = d.project_id and c.id = d.consent_id)
    group by d.project_id, d.consent_id`,

  // The index of logins covers both: a login is the address in lower case.
  'drop index users_email',
  'drop index users_login',
]

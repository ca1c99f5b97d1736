import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ConsentDecisionRow, ConsentGroupRow, ConsentRow, CustomerRow } from '../../core/db/tables.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import {
  countRows,
  deleteRow,
  findRow,
  getRow,
  insertRow,
  listRows,
  type RowChanges,
  updateRow,
} from '../../core/rows.ts'
import type { Consent, ConsentGroup, CreateConsent, CreateConsentGroup, UpdateConsent } from './schema.ts'

/** Without `unique`: the name of a deleted consent is free again, and the index of names is partial. */
const consents = { table: 'consents', type: 'consent' } as const
const groups = { table: 'consent_groups', type: 'consent_group', unique: 'name' } as const

export type StoredConsent = Selectable<ConsentRow>

export async function getConsent(ctx: Ctx, id: string): Promise<Consent> {
  const row = await findRow(ctx, consents, { id, deleted_at: null })
  if (row === undefined) throw notFound('consent', id)
  return toConsent(row)
}

/** All consents, oldest first; a project has only a few. */
export const listConsents = async (ctx: Ctx): Promise<Consent[]> => (await listStoredConsents(ctx)).map(toConsent)

/** All consents, oldest first, and those of `also` that were deleted. */
export async function listStoredConsents(
  { db, project_id }: Ctx,
  { also = [] }: { also?: readonly string[] } = {},
): Promise<StoredConsent[]> {
  return db
    .selectFrom('consents')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`(deleted_at is null or id = any(${also}::text[]))`)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
}

export async function insertConsent(
  ctx: Ctx,
  { name, description = '', category = '' }: CreateConsent,
): Promise<Consent> {
  const id = newId('consent', Date.parse(ctx.now))
  const row = await refuseTaken(name, insertRow(ctx, consents, { id, name, description, category, text_number: 1 }))
  await insertText(ctx, row)
  return toConsent(row)
}

/** Changes a consent. Another name or description is a new text: decisions refer to the text that was in force. */
export async function updateConsent(
  ctx: Ctx,
  id: string,
  { name, description, category }: UpdateConsent,
): Promise<Consent> {
  const before = await findRow(ctx, consents, { id, deleted_at: null }, { lock: 'update' })
  if (before === undefined) throw notFound('consent', id)
  const isNewText = (name ?? before.name) !== before.name || (description ?? before.description) !== before.description
  const changes = { name, description, category, ...(isNewText && { text_number: before.text_number + 1 }) }
  const row = await refuseTaken(name, updateRow(ctx, consents, id, changes))
  if (isNewText) await insertText(ctx, row)
  return toConsent(row)
}

/** Keeps a consent as deleted: what customers decided about it stays readable as proof. */
export async function deleteConsent({ db, project_id, now }: Ctx, id: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('consents')
    .set({ deleted_at: now })
    .where('project_id', '=', project_id)
    .where('id', '=', id as StoredConsent['id'])
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('consent', id) // deleted by a concurrent request
}

async function insertText({ db, now }: Ctx, { project_id, id, text_number, name, description }: StoredConsent) {
  const text = { project_id, consent_id: id, number: text_number, name, description, created_at: now }
  await db.insertInto('consent_texts').values(text).execute()
}

/** Waits for a write, and answers 409 if another consent has the name. */
const refuseTaken = <T>(name: string | undefined, write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    throw name !== undefined && isDuplicate(error) ? duplicate('consent', 'name', name) : error
  })

export const getConsentGroup = async (ctx: Ctx, id: string): Promise<Selectable<ConsentGroupRow>> =>
  getRow(ctx, groups, id)

/** All groups, oldest first. */
export const listConsentGroups = async (ctx: Ctx, known: readonly Consent[]): Promise<ConsentGroup[]> =>
  (await listRows(ctx, groups)).map((row) => toConsentGroup(row, known))

export const countConsentGroups = (ctx: Ctx): Promise<number> => countRows(ctx, groups)

export async function insertConsentGroup(
  ctx: Ctx,
  { name, description = '', consents = [] }: CreateConsentGroup,
  known: readonly Consent[],
): Promise<ConsentGroup> {
  const id = newId('consent_group', Date.parse(ctx.now))
  const row = await insertRow(ctx, groups, { id, name, description, consents: JSON.stringify(consents) })
  return toConsentGroup(row, known)
}

export const updateConsentGroup = async (
  ctx: Ctx,
  id: string,
  changes: RowChanges<'consent_groups'>,
  known: readonly Consent[],
): Promise<ConsentGroup> => toConsentGroup(await updateRow(ctx, groups, id, changes), known)

export const deleteConsentGroup = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, groups, id)

/** Locks the project, so that no concurrent request creates a consent or a group beyond the limit. */
export async function lockProject({ db, project_id }: Ctx): Promise<void> {
  await sql`select 1 from projects where id = ${project_id} for no key update`.execute(db)
}

export type StoredDecision = Selectable<ConsentDecisionRow>

/** The decisions of a customer about all consents, newest first. */
export async function listDecisions({ db, project_id }: Ctx, customerId: CustomerRow['id']): Promise<StoredDecision[]> {
  return db
    .selectFrom('consent_decisions')
    .where('project_id', '=', project_id)
    .where('customer_id', '=', customerId)
    .orderBy('consent_id')
    .orderBy('number', 'desc')
    .selectAll()
    .execute()
}

/** The texts about which a customer has decided. */
export async function listTexts({ db, project_id }: Ctx, customerId: CustomerRow['id']) {
  return db
    .selectFrom('consent_texts as text')
    .where('text.project_id', '=', project_id)
    .where(
      sql<boolean>`(text.consent_id, text.number) in (
        select consent_id, text_number from consent_decisions
        where project_id = ${project_id} and customer_id = ${customerId})`,
    )
    .selectAll()
    .execute()
}

/**
 * Adds decisions of a customer that the caller has locked. Of those beyond the number that is kept, the first stays, which proves since
 * when something was agreed to, and the oldest after it are deleted.
 */
export async function insertDecisions({ db, project_id }: Ctx, rows: StoredDecision[]): Promise<void> {
  if (rows.length === 0) return
  await db.insertInto('consent_decisions').values(rows).execute()
  const latest = rows.map(({ customer_id, consent_id, number }) => ({ customer_id, consent_id, number }))
  await sql`
    delete from consent_decisions d using jsonb_to_recordset(${JSON.stringify(latest)}::jsonb)
      as latest (customer_id text, consent_id text, number integer)
    where d.project_id = ${project_id} and d.customer_id = latest.customer_id and d.consent_id = latest.consent_id
      and d.number > 1 and d.number <= latest.number - ${limits.consent_decisions_max - 1}`.execute(db)
}

function toConsent({ id, name, description, category, created_at, updated_at }: StoredConsent): Consent {
  return { id, name, description, category, created_at, updated_at, object: 'consent' }
}

/** The group without consents that were deleted. */
function toConsentGroup(row: Selectable<ConsentGroupRow>, known: readonly Consent[]): ConsentGroup {
  const { id, name, description, created_at, updated_at } = row
  const ids = new Set(known.map((consent) => consent.id))
  const existing = row.consents.filter((consent) => ids.has(consent))
  return { id, name, description, consents: existing, created_at, updated_at, object: 'consent_group' }
}

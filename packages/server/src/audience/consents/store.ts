import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { ConsentDecisionRow, ConsentGroupRow, ConsentRow, CustomerRow } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { countRows, deleteRow, getRow, insertRow, listRows, type RowChanges, updateRow } from '../../core/rows.ts'
import type { Consent, ConsentGroup, CreateConsent, CreateConsentGroup } from './schema.ts'

const consents = { table: 'consents', type: 'consent', unique: 'name' } as const
const groups = { table: 'consent_groups', type: 'consent_group', unique: 'name' } as const

export const getConsent = async (ctx: Ctx, id: string): Promise<Consent> => toConsent(await getRow(ctx, consents, id))

/** All consents, oldest first; a project has only a few. */
export const listConsents = async (ctx: Ctx): Promise<Consent[]> => (await listRows(ctx, consents)).map(toConsent)

export const countConsents = (ctx: Ctx): Promise<number> => countRows(ctx, consents)

export async function insertConsent(
  ctx: Ctx,
  { name, description = '', category = '' }: CreateConsent,
): Promise<Consent> {
  const id = newId('consent', Date.parse(ctx.now))
  return toConsent(await insertRow(ctx, consents, { id, name, description, category }))
}

export const updateConsent = async (ctx: Ctx, id: string, changes: RowChanges<'consents'>): Promise<Consent> =>
  toConsent(await updateRow(ctx, consents, id, changes))

/** Deletes a consent. What customers decided about it stays stored as proof, and is no longer shown. */
export const deleteConsent = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, consents, id)

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

/** Adds decisions of a customer that the caller has locked, and deletes the oldest beyond the number that is kept. */
export async function insertDecisions({ db, project_id }: Ctx, rows: StoredDecision[]): Promise<void> {
  if (rows.length === 0) return
  await db.insertInto('consent_decisions').values(rows).execute()
  const latest = rows.map(({ customer_id, consent_id, number }) => ({ customer_id, consent_id, number }))
  await sql`
    delete from consent_decisions d using jsonb_to_recordset(${JSON.stringify(latest)}::jsonb)
      as latest (customer_id text, consent_id text, number integer)
    where d.project_id = ${project_id} and d.customer_id = latest.customer_id and d.consent_id = latest.consent_id
      and d.number <= latest.number - ${limits.consent_decisions_max}`.execute(db)
}

function toConsent({ id, name, description, category, created_at, updated_at }: Selectable<ConsentRow>): Consent {
  return { id, name, description, category, created_at, updated_at, object: 'consent' }
}

/** The group without consents that were deleted. */
function toConsentGroup(row: Selectable<ConsentGroupRow>, known: readonly Consent[]): ConsentGroup {
  const { id, name, description, created_at, updated_at } = row
  const ids = new Set(known.map((consent) => consent.id))
  const existing = row.consents.filter((consent) => ids.has(consent))
  return { id, name, description, consents: existing, created_at, updated_at, object: 'consent_group' }
}

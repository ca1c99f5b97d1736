import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { analyzeIfGrown } from '../../core/db/statistics.ts'
import type { CategoryRow, Terms, VoucherRow } from '../../core/db/tables.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { insertManyTerms } from '../../rules/terms/store.ts'
import { relatedObjectMembers } from '../../rules/validation-rules/assignable.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { getRule, listRulesById } from '../../rules/validation-rules/store.ts'
import { countMany } from '../campaigns/generate.ts'
import { newVoucher } from './create.ts'
import { postInitialCreditsOf } from './initial-credits.ts'
import type { VoucherTemplate } from './make.ts'
import { insertVouchers, listVouchersById } from './store.ts'
import { toSimpleVoucher } from './voucher.ts'

/** The target of an import: a campaign or none, with the defaults for its vouchers. */
export interface ImportTarget extends Pick<VoucherTemplate, 'campaign_id' | 'category_id' | 'is_referral_code'> {
  /** Null: every voucher has its own. */
  terms_id: Id<'terms'> | null
  /** How many new vouchers the target can still take in this step. */
  capacity: number
  /** The refusal of rows beyond the capacity. */
  limitMessage?: string
}

/** The target of vouchers without a campaign. */
export const noCampaign: Readonly<ImportTarget> = {
  campaign_id: null,
  category_id: null,
  is_referral_code: false,
  terms_id: null,
  capacity: Number.POSITIVE_INFINITY,
}

/** A new voucher as described by its row, validated. */
export interface Draft
  extends Omit<VoucherTemplate, 'campaign_id' | 'category_id' | 'is_referral_code' | 'is_automatic' | 'terms_id'> {
  code: string
  /** Undefined: those of the target. */
  terms?: Terms
  /** Name or id; undefined: that of the target. */
  category?: string | null
  redeemed_quantity: number
  /** Credits spent before the import. */
  redeemed: number
}

export type KnownCode = Pick<
  Selectable<VoucherRow>,
  'id' | 'code_key' | 'campaign_id' | 'category_id' | 'active' | 'deleted_at'
>

/**
 * Locks the existing vouchers with these code keys, including those in the bin, in the order of their ids; returns them
 * by key.
 */
export async function lockCodes({ db, project_id }: Ctx, codeKeys: readonly string[]): Promise<Map<string, KnownCode>> {
  const rows = await db
    .selectFrom('vouchers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`code_key = any(${codeKeys}::text[])`)
    .select(['id', 'code_key', 'campaign_id', 'category_id', 'active', 'deleted_at'])
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.code_key, row]))
}

/**
 * The fields of an existing voucher that an import can change (docs/reference/imports.md#import-vouchers-as-csv and
 * docs/reference/imports.md#import-into-a-campaign-as-json).
 */
export interface CodeChange {
  active?: boolean
  /** Name or id. */
  category?: string
}

/** Updates existing vouchers in one statement, skipping unchanged ones. */
export async function updateCodes(
  { db, project_id, now }: Ctx,
  changes: ReadonlyArray<{ existing: KnownCode; change: CodeChange }>,
  categories: ReadonlyMap<string, CategoryRow['id']>,
): Promise<void> {
  const codes = changes.flatMap(({ existing, change: { active = existing.active, category } }) => {
    const categoryId = category === undefined ? existing.category_id : (categories.get(category) ?? null)
    const isChanged = active !== existing.active || categoryId !== existing.category_id
    return isChanged ? [{ id: existing.id, active, category_id: categoryId }] : []
  })
  if (codes.length === 0) return
  await sql`
    update vouchers v set active = r.active, category_id = r.category_id, updated_at = ${now}::timestamptz
    from unnest(${codes.map(({ id }) => id)}::text[], ${codes.map(({ active }) => active)}::boolean[],
      ${codes.map(({ category_id }) => category_id)}::text[]) as r (id, active, category_id)
    where v.project_id = ${project_id} and v.id = r.id`.execute(db)
}

/**
 * The categories referenced by id or name; an unknown name creates a category
 * (docs/reference/categories.md#assigning-a-category).
 */
export async function categoriesByReference(
  ctx: Ctx,
  references: readonly string[],
): Promise<ReadonlyMap<string, CategoryRow['id']>> {
  const keys = [...new Set(references)]
  if (keys.length === 0) return new Map()
  const { db, project_id } = ctx
  const rows = await db
    .selectFrom('categories')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`(id = any(${keys}::text[]) or name = any(${keys}::text[]))`)
    .select(['id', 'name'])
    .execute()
  const idByReference = new Map([
    ...rows.map(({ id, name }) => [name, id] as const),
    ...rows.map(({ id }) => [id as string, id] as const),
  ])
  for (const key of keys)
    if (!idByReference.has(key))
      idByReference.set(key, (await chosenCategory(ctx, { category: key })) as CategoryRow['id'])
  return idByReference
}

/**
 * Inserts new vouchers, posts their credits and counts them, each step with one statement for all. Returns their ids in
 * the order of the drafts, which is also their sort order; null if the code is taken.
 */
export async function insertDrafts(
  ctx: Ctx,
  target: ImportTarget,
  drafts: readonly Draft[],
  categories: ReadonlyMap<string, CategoryRow['id']>,
): Promise<Array<Id<'voucher'> | null>> {
  if (drafts.length === 0) return []
  const { db, project_id, now } = ctx
  const ownTerms = drafts.flatMap(({ terms }) => terms ?? [])
  const termsIds = await insertManyTerms(db, project_id, ownTerms, now)
  const at = Date.parse(now)
  // Ids of the same millisecond are random; sort them, so that lists by creation show the vouchers in the order of the
  // file.
  const ids = drafts.map(() => newId('voucher', at)).sort()
  let nextTerms = 0
  const rows = drafts.map(({ code, terms, category, redeemed_quantity, redeemed, ...rest }, index) => {
    const template: VoucherTemplate = {
      ...rest,
      campaign_id: target.campaign_id,
      is_referral_code: target.is_referral_code,
      is_automatic: false,
      category_id: category === undefined ? target.category_id : (categories.get(category ?? '') ?? null),
      terms_id: (terms === undefined ? target.terms_id : termsIds[nextTerms++]) as Id<'terms'>,
    }
    const row = newVoucher(ctx, ids[index] as Id<'voucher'>, code, template)
    return { ...row, redeemed_quantity, credits_redeemed: rest.credits === null ? null : redeemed }
  })
  // In the order of their keys: otherwise two imports of the same codes could deadlock.
  const inserted = await insertVouchers(
    ctx,
    rows.toSorted((a, b) => (a.code_key < b.code_key ? -1 : 1)),
  )
  const createdCards = drafts.flatMap(({ type, credits, redeemed }, index) => {
    const id = ids[index] as Id<'voucher'>
    return inserted.has(id) ? [{ id, type, credits: credits ?? 0, redeemed }] : []
  })
  await postInitialCreditsOf(ctx, createdCards)
  await postRedeemedCredits(ctx, createdCards)
  const [first] = createdCards
  if (first !== undefined) {
    const credits = createdCards.reduce((sum, card) => sum + card.credits, 0)
    await countMany(ctx, { campaign_id: target.campaign_id, type: first.type }, createdCards.length, credits)
    await analyzeIfGrown(ctx.db, ctx.project_id, 'vouchers')
  }
  return ids.map((id) => (inserted.has(id) ? id : null))
}

/**
 * Posts what was spent from imported cards before the import, so that the postings of a card still add up to its balance.
 * Like the initial value, it creates no transaction (docs/reference/balances.md#transaction-object).
 */
async function postRedeemedCredits(
  { db, project_id, now }: Ctx,
  cards: ReadonlyArray<{ id: Id<'voucher'>; redeemed: number }>,
): Promise<void> {
  const spentCards = cards.filter(({ redeemed }) => redeemed > 0)
  if (spentCards.length === 0) return
  const at = Date.parse(now)
  await sql`
    insert into postings (project_id, voucher_id, id, source, destination, amount, created_at)
    select own.id, card.voucher_id, card.id, card.voucher_id, 'redeemed', card.amount, ${now}::timestamptz
    from projects own, unnest(${spentCards.map(({ id }) => id)}::text[], ${spentCards.map(() => newId('posting', at))}::text[],
      ${spentCards.map(({ redeemed }) => redeemed)}::bigint[]) as card (voucher_id, id, amount)
    where own.id = ${project_id}`.execute(db)
}

/** Loads each referenced rule once and locks it against deletion until it is assigned; an unknown rule refuses its row. */
export function cachedRules(ctx: Ctx): (id: string) => Promise<void> {
  const foundIds = new Set<string>()
  return async (id) => {
    if (foundIds.has(id)) return
    await getRule(ctx, id, { lock: 'key share' })
    foundIds.add(id)
  }
}

interface NewAssignment {
  rule_id: string
  voucher_id: Id<'voucher'>
}

/** Assigns rules that the caller has locked to newly created vouchers, in one statement. */
export async function assignToNewVouchers(
  ctx: Ctx,
  wanted: readonly NewAssignment[],
  { emitEvents }: { emitEvents: boolean },
): Promise<void> {
  if (wanted.length === 0) return
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const at = Date.parse(now)
  await sql`
    insert into rule_assignments (project_id, id, rule_id, related_object_type, related_object_id, created_at, config_version)
    select own.id, made.id, made.rule_id, 'voucher', made.voucher_id, ${now}::timestamptz, ${configVersion}
    from projects own, unnest(${wanted.map(() => newId('rule_assignment', at))}::text[], ${wanted.map(({ rule_id }) => rule_id)}::text[],
      ${wanted.map(({ voucher_id }) => voucher_id)}::text[]) as made (id, rule_id, voucher_id)
    where own.id = ${project_id}`.execute(db)
  // In batches: each event contains its rule, which may be large.
  for (let start = 0; emitEvents && start < wanted.length; start += limits.unassigned_at_once_max)
    await emitAssigned(ctx, wanted.slice(start, start + limits.unassigned_at_once_max))
}

async function emitAssigned(ctx: Ctx, created: readonly NewAssignment[]): Promise<void> {
  const ids = created.map(({ voucher_id }) => voucher_id)
  const rules = new Map(
    (await listRulesById(ctx, [...new Set(created.map(({ rule_id }) => rule_id))])).map((rule) => [rule.id, rule]),
  )
  const vouchers = new Map((await listVouchersById(ctx, ids)).map((voucher) => [voucher.id as string, voucher]))
  const assignments = await listAssignmentsOf(ctx, 'voucher', ids)
  await emitMany(
    ctx,
    assignments.flatMap((assignment): NewEvent[] => {
      const rule = rules.get(assignment.rule_id)
      const voucher = vouchers.get(assignment.related_object_id)
      if (rule === undefined || voucher === undefined) return []
      const data = { rule, assignment, ...relatedObjectMembers('voucher', toSimpleVoucher(voucher)) }
      return [{ type: 'business_validation_rule.assignment.created', entity_id: rule.id, data } as NewEvent]
    }),
  )
}

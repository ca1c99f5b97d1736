import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { analyzeIfGrown } from '../../core/db/statistics.ts'
import type { CategoryRow, Terms, VoucherRow } from '../../core/db/tables.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { insertManyTerms } from '../../rules/terms/store.ts'
import { countMany } from '../campaigns/generate.ts'
import { newVoucher } from './create.ts'
import { bookRedeemed } from './import-books.ts'
import { openBooksOf } from './initial-credits.ts'
import type { VoucherTemplate } from './make.ts'
import { insertVouchers } from './store.ts'

/** Where imported codes go, and what they have of it unless they say otherwise. */
export interface ImportTarget extends Pick<VoucherTemplate, 'campaign_id' | 'category_id' | 'is_referral_code'> {
  /** Null: every code brings its own. */
  terms_id: Id<'terms'> | null
  /** How many new codes there is still room for in this step. */
  room: number
  /** What is said of those that find none. */
  beyond?: string
}

/** Codes of no campaign. */
export const noCampaign: Readonly<ImportTarget> = {
  campaign_id: null,
  category_id: null,
  is_referral_code: false,
  terms_id: null,
  room: Number.POSITIVE_INFINITY,
}

/** A new code as its row describes it, checked. */
export interface Draft
  extends Omit<VoucherTemplate, 'campaign_id' | 'category_id' | 'is_referral_code' | 'is_automatic' | 'terms_id'> {
  code: string
  /** Undefined: those of its home. */
  terms?: Terms
  /** Name or id; undefined: that of its home. */
  category?: string | null
  redeemed_quantity: number
  /** Credits that were spent before. */
  redeemed: number
}

export type KnownCode = Pick<
  Selectable<VoucherRow>,
  'id' | 'code_key' | 'campaign_id' | 'category_id' | 'active' | 'deleted_at'
>

/** The codes that exist of these, those in the bin included, locked in the order of their ids, by their keys. */
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

/** A code that the caller has locked, and how a row wants it. */
export interface Switched extends KnownCode {
  wanted: Pick<KnownCode, 'active' | 'category_id'>
}

/** Writes what an import may change of codes that exist; what is so already is left alone. */
export async function switchCodes({ db, project_id, now }: Ctx, codes: readonly Switched[]): Promise<void> {
  const changed = codes.filter(
    ({ active, category_id, wanted }) => active !== wanted.active || category_id !== wanted.category_id,
  )
  if (changed.length === 0) return
  await sql`
    update vouchers v set active = r.active, category_id = r.category_id, updated_at = ${now}::timestamptz
    from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ wanted }) => wanted.active)}::boolean[],
      ${changed.map(({ wanted }) => wanted.category_id)}::text[]) as r (id, active, category_id)
    where v.project_id = ${project_id} and v.id = r.id`.execute(db)
}

/**
 * The categories that cells name, by id or by name; a name that nobody has used yet makes one
 * (docs/reference/categories.md#assigning-a-category).
 */
export async function categoriesNamed(
  ctx: Ctx,
  named: readonly string[],
): Promise<ReadonlyMap<string, CategoryRow['id']>> {
  const keys = [...new Set(named)]
  if (keys.length === 0) return new Map()
  const { db, project_id } = ctx
  const rows = await db
    .selectFrom('categories')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`(id = any(${keys}::text[]) or name = any(${keys}::text[]))`)
    .select(['id', 'name'])
    .execute()
  const found = new Map([
    ...rows.map(({ id, name }) => [name, id] as const),
    ...rows.map(({ id }) => [id as string, id] as const),
  ])
  for (const key of keys)
    if (!found.has(key)) found.set(key, (await chosenCategory(ctx, { category: key })) as CategoryRow['id'])
  return found
}

/**
 * Writes new codes with their books and counts them, each with one statement for all. Answers their ids, in the order of
 * the drafts and sorting so; null where the code is taken.
 */
export async function insertDrafts(
  ctx: Ctx,
  home: ImportTarget,
  drafts: readonly Draft[],
  categories: ReadonlyMap<string, CategoryRow['id']>,
): Promise<Array<Id<'voucher'> | null>> {
  if (drafts.length === 0) return []
  const { db, project_id, now } = ctx
  const own = drafts.flatMap(({ terms }) => terms ?? [])
  const termsIds = await insertManyTerms(db, project_id, own, now)
  const at = Date.parse(now)
  // Ids of one moment are in no order, but lists by creation should show the codes as the file has them.
  const ids = drafts.map(() => newId('voucher', at)).sort()
  let nextTerms = 0
  const rows = drafts.map(({ code, terms, category, redeemed_quantity, redeemed, ...rest }, index) => {
    const mould: VoucherTemplate = {
      ...rest,
      campaign_id: home.campaign_id,
      is_referral_code: home.is_referral_code,
      is_automatic: false,
      category_id: category === undefined ? home.category_id : (categories.get(category ?? '') ?? null),
      terms_id: (terms === undefined ? home.terms_id : termsIds[nextTerms++]) as Id<'terms'>,
    }
    const row = newVoucher(ctx, ids[index] as Id<'voucher'>, code, mould)
    return { ...row, redeemed_quantity, credits_redeemed: rest.credits === null ? null : redeemed }
  })
  // In the order of their keys: two imports of the same codes would otherwise wait for each other.
  const inserted = await insertVouchers(
    ctx,
    rows.toSorted((a, b) => (a.code_key < b.code_key ? -1 : 1)),
  )
  const made = drafts.flatMap(({ type, credits, redeemed }, index) => {
    const id = ids[index] as Id<'voucher'>
    return inserted.has(id) ? [{ id, type, credits: credits ?? 0, redeemed }] : []
  })
  await openBooksOf(ctx, made)
  await bookRedeemed(ctx, made)
  const [first] = made
  if (first !== undefined) {
    const credits = made.reduce((sum, card) => sum + card.credits, 0)
    await countMany(ctx, { campaign_id: home.campaign_id, type: first.type }, made.length, credits)
    await analyzeIfGrown(ctx.db, ctx.project_id, 'vouchers')
  }
  return ids.map((id) => (inserted.has(id) ? id : null))
}

import { randomFillSync } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CodeConfig, VoucherRow } from '../../core/db/tables.ts'
import { tallyOf } from '../../core/db/tallies.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { capacityOf, codeSource, countedCodes, invalidCodeConfig, keyPattern, randomBelow } from './code-config.ts'
import { postInitialCredits } from './initial-credits.ts'
import { codeKey, listKeysTaken } from './store.ts'

/** All that new codes have in common: everything but the code itself. */
export interface VoucherTemplate {
  type: VoucherRow['type']
  campaign_id: VoucherRow['campaign_id']
  category_id: VoucherRow['category_id']
  terms_id: VoucherRow['terms_id']
  start_date: VoucherRow['start_date']
  expiration_date: VoucherRow['expiration_date']
  quantity: number | null
  /** Money or points to begin with; null for what has none. */
  credits: number | null
  active: boolean
  additional_info: string | null
  /** Null: those of the terms. */
  metadata: Record<string, unknown> | null
  is_referral_code: boolean
  /** Made by a publication: such codes do not count towards the limit of their campaign. */
  is_automatic: boolean
}

export const exhausted = () => invalidCodeConfig('Not possible to generate requested number of codes.')

/**
 * Makes so many codes of one mould, drawn until they are free, and answers their ids in the order in which they were made.
 * They are fewer than asked for when there are no more to be had; `makeAll` refuses that.
 */
export async function makeVouchers(
  ctx: Ctx,
  mould: VoucherTemplate,
  config: CodeConfig,
  count: number,
): Promise<Array<Id<'voucher'>>> {
  const draw = codeSource(config)
  const isVast = capacityOf(config, ctx.project) >= BigInt(limits.codes_vast_min)
  const made: Array<Id<'voucher'>> = []
  for (let attempt = 0; made.length < count && attempt < attemptsMax; attempt++) {
    const wanted = count - made.length
    const isDrawn = attempt < drawsMax
    const codes = isDrawn ? drawnCodes(ctx, draw, wanted) : await codesLeft(ctx, config, wanted)
    if (codes.length === 0) break
    await setImmediate() // requests between drawing and writing
    const ids = await insertFree(ctx, mould, codes, { surely: attempt === 0 && isVast })
    made.push(...ids)
    // Where most of what is drawn is taken, looking for what is free is faster.
    if (isDrawn && ids.length * 4 < codes.length) attempt = Math.max(attempt, drawsMax - 1)
  }
  if (mould.credits !== null && mould.credits > 0) await postInitialCredits(ctx, made, mould.type, mould.credits)
  return made
}

/** The same, or `invalid_code_config` when there are not as many: the caller undoes what was made. */
export async function makeAll(
  ctx: Ctx,
  mould: VoucherTemplate,
  config: CodeConfig,
  count: number,
): Promise<Array<Id<'voucher'>>> {
  const made = await makeVouchers(ctx, mould, config, count)
  if (made.length < count) throw exhausted()
  return made
}

/** Draws in a row that may meet codes that are taken; after them, so often may others be faster to take what was free. */
const drawsMax = 20
const attemptsMax = drawsMax + 20

/** As many different codes as wanted, or fewer where there are hardly more than that. */
function drawnCodes({ project }: Ctx, draw: () => string, wanted: number): string[] {
  const codes = new Map<string, string>()
  for (let tries = 0; codes.size < wanted && tries < wanted * 2 + 10; tries++) {
    const code = draw()
    codes.set(codeKey(project, code), code)
  }
  return [...codes.values()]
}

/**
 * Free codes of a configuration that is nearly used up. All codes of a small one are gone through, from a random one on; of
 * a large one, a stretch.
 */
async function codesLeft(ctx: Ctx, config: CodeConfig, wanted: number): Promise<string[]> {
  const capacity = capacityOf(config, ctx.project)
  const stretch = Number(capacity < BigInt(limits.codes_enumerated_max) ? capacity : limits.codes_enumerated_max)
  const ceiling = Number(capacity < 2n ** 32n ? capacity : 2n ** 32n)
  const start = randomBelow(ceiling)
  const codeAt = countedCodes(config, ctx.project)
  const left: string[] = []
  for (let at = 0; at < stretch && left.length < wanted; at += enumeratedAtOnce) {
    const codes = new Map<string, string>()
    for (let n = at; n < Math.min(at + enumeratedAtOnce, stretch); n++) {
      const code = codeAt((start + n) % ceiling)
      codes.set(codeKey(ctx.project, code), code)
    }
    const taken = await listKeysTaken(ctx, [...codes.keys()])
    await setImmediate() // requests first: the embedded database answers without a pause
    for (const [key, code] of codes) if (!taken.has(key)) left.push(code)
  }
  return left.slice(0, wanted)
}

const enumeratedAtOnce = 2_000

/** Refuses before any work when so many codes cannot be had (docs/reference/codes.md#uniqueness-and-exhaustion). */
export async function refuseUnlessPossible(ctx: Ctx, config: CodeConfig, count: number): Promise<void> {
  const capacity = capacityOf(config, ctx.project)
  if (BigInt(count) > capacity) throw exhausted()
  // All codes of the project could not fill it, or whoever draws one will see.
  if (count === 1 || capacity - BigInt(count) >= BigInt(await countCodes(ctx))) return
  const used = await countKeys(ctx, config)
  if (BigInt(count) > capacity - BigInt(used)) throw exhausted()
}

/** How many codes a project has, those in the bin included. */
async function countCodes({ db, project_id }: Ctx): Promise<number> {
  const { rows } = await sql<{ codes: number }>`select ${tallyOf(project_id, 'codes')} as codes`.execute(db)
  return rows[0]?.codes ?? 0
}

/** How many codes of the project could have been made by a configuration, those in the bin included. */
async function countKeys({ db, project, project_id }: Ctx, config: CodeConfig): Promise<number> {
  const { prefix, pattern } = keyPattern(config, project)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from vouchers
    where project_id = ${project_id} and code_key ^@ ${prefix} and code_key ~ ${pattern}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Writes those of some codes that are free. Asking for each whether it is taken costs a quarter more than just writing it:
 * where hardly any can be (`surely`), all are written at once, and one by one only if that fails.
 */
async function insertFree(
  ctx: Ctx,
  mould: VoucherTemplate,
  codes: readonly string[],
  { surely }: { surely: boolean },
): Promise<Array<Id<'voucher'>>> {
  if (!surely)
    return insertCodes(ctx, mould, codes, {
      in_order: sql`order by coalesce(made.code_key, made.code)`, // so that two that want the same codes do not wait for each other in a circle
      on_conflict: sql`on conflict (project_id, code_key) do nothing`,
    })
  await sql`savepoint codes`.execute(ctx.db)
  try {
    const ids = await insertCodes(ctx, mould, codes, { in_order: sql``, on_conflict: sql`` })
    await sql`release savepoint codes`.execute(ctx.db)
    return ids
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await sql`rollback to savepoint codes`.execute(ctx.db)
    await sql`release savepoint codes`.execute(ctx.db)
    return insertFree(ctx, mould, codes, { surely: false })
  }
}

/**
 * Writes codes of one mould with one statement, and answers the ids of those that were free. Ids are written in their own
 * order, so that they stay at the right edge of their indexes; nothing about a code can be told from its id.
 */
async function insertCodes(
  ctx: Ctx,
  mould: VoucherTemplate,
  codes: readonly string[],
  { in_order, on_conflict }: { in_order: RawBuilder<unknown>; on_conflict: RawBuilder<unknown> },
): Promise<Array<Id<'voucher'>>> {
  if (codes.length === 0) return []
  const { db, project, project_id, now } = ctx
  const at = Date.parse(now)
  const ids = codes.map(() => newId('voucher', at)).sort()
  const assets = codes.map(() => newAssetId(at)).sort()
  // Null: the codes themselves.
  const keys = project.case_sensitive_codes ? null : codes.map((code) => codeKey(project, code))
  const { credits } = mould
  const none = credits === null ? null : 0
  const { rows } = await sql<{ ids: string | null }>`
    with made as (
      insert into vouchers (project_id, id, code, code_key, type, campaign_id, category_id, terms_id, start_date,
        expiration_date, quantity, credits_added, credits_subtracted, credits_redeemed, credits_expired, credits_pending,
        active, additional_info, metadata, is_referral_code, is_automatic, asset_id, created_at)
      select ${project_id}, made.id, made.code, coalesce(made.code_key, made.code), ${mould.type}, ${mould.campaign_id}, ${mould.category_id},
        ${mould.terms_id}, ${mould.start_date}::timestamptz, ${mould.expiration_date}::timestamptz, ${mould.quantity}::bigint,
        ${credits}::bigint, ${none}::bigint, ${none}::bigint, ${none}::bigint, ${none}::bigint,
        ${mould.active}::boolean, ${mould.additional_info}, ${mould.metadata === null ? null : JSON.stringify(mould.metadata)}::jsonb,
        ${mould.is_referral_code}::boolean, ${mould.is_automatic}::boolean, made.asset_id, ${now}::timestamptz
      from unnest(${plainArray(ids)}::text[], ${codes}::text[], ${keys}::text[], ${plainArray(assets)}::uuid[])
        as made (id, code, code_key, asset_id)
      ${in_order} ${on_conflict}
      returning id
    )
    select string_agg(id, ',') as ids from made`.execute(db)
  return (rows[0]?.ids?.split(',') ?? []) as Array<Id<'voucher'>>
}

/** An array as the database reads it, of words that need no quoting: a thousand of them at a time are worth the haste. */
const plainArray = (words: readonly string[]): string => `{${words.join(',')}}`

/**
 * A secret in the form of a UUID (version 7): the moment, so that inserts stay at the right edge of their index, and 74 bits
 * of chance.
 */
export function newAssetId(at: number): string {
  if (chanceUsed === chance.length) {
    randomFillSync(chance)
    chanceUsed = 0
  }
  const bytes = chance.subarray(chanceUsed, chanceUsed + 10).toString('hex')
  chanceUsed += 10
  const time = at.toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(bytes[3] as string, 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bytes.slice(0, 3)}-${variant}${bytes.slice(4, 7)}-${bytes.slice(7, 19)}`
}

const chance = Buffer.alloc(10_240)
let chanceUsed = chance.length

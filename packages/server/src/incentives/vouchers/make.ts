import { randomFillSync } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CodeConfig, VoucherRow } from '../../core/db/tables.ts'
import { tallyOf } from '../../core/db/tallies.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { capacityOf, codeSource, enumerateCodes, invalidCodeConfig, keyPattern, randomBelow } from './code-config.ts'
import { postInitialCredits } from './initial-credits.ts'
import { codeKey, listTakenKeys } from './store.ts'

/** Everything about new vouchers except the code. */
export interface VoucherTemplate {
  type: VoucherRow['type']
  campaign_id: VoucherRow['campaign_id']
  category_id: VoucherRow['category_id']
  terms_id: VoucherRow['terms_id']
  start_date: VoucherRow['start_date']
  expiration_date: VoucherRow['expiration_date']
  quantity: number | null
  /** Initial money or points; null for a type without credits. */
  credits: number | null
  active: boolean
  additional_info: string | null
  /** Null: those of the terms. */
  metadata: Record<string, unknown> | null
  is_referral_code: boolean
  /** Created by a publication: such vouchers do not count towards the limit of their campaign. */
  is_automatic: boolean
}

export const exhausted = () => invalidCodeConfig('Not possible to generate requested number of codes.')

/**
 * Creates `count` vouchers from a template with random free codes, and returns their ids in the order of creation.
 * Returns fewer when no free codes are left; `makeAll` throws instead.
 */
export async function makeVouchers(
  ctx: Ctx,
  template: VoucherTemplate,
  config: CodeConfig,
  count: number,
): Promise<Array<Id<'voucher'>>> {
  const draw = codeSource(config)
  const hasVastCapacity = capacityOf(config, ctx.project) >= BigInt(limits.codes_vast_min)
  const createdIds: Array<Id<'voucher'>> = []
  for (let attempt = 0; createdIds.length < count && attempt < attemptsMax; attempt++) {
    const wanted = count - createdIds.length
    const isDrawn = attempt < drawsMax
    const codes = isDrawn ? drawCodes(ctx, draw, wanted) : await enumerateFreeCodes(ctx, config, wanted)
    if (codes.length === 0) break
    await setImmediate() // yields to other requests between drawing and inserting
    const ids = await insertFree(ctx, template, codes, { isConflictUnlikely: attempt === 0 && hasVastCapacity })
    createdIds.push(...ids)
    // If most random codes are taken, enumerating the free ones is faster.
    if (isDrawn && ids.length * 4 < codes.length) attempt = Math.max(attempt, drawsMax - 1)
  }
  if (template.credits !== null && template.credits > 0)
    await postInitialCredits(ctx, createdIds, template.type, template.credits)
  return createdIds
}

/** The same, but throws `invalid_code_config` if there are fewer codes: the caller rolls back. */
export async function makeAll(
  ctx: Ctx,
  template: VoucherTemplate,
  config: CodeConfig,
  count: number,
): Promise<Array<Id<'voucher'>>> {
  const ids = await makeVouchers(ctx, template, config, count)
  if (ids.length < count) throw exhausted()
  return ids
}

/** Random draws before switching to enumeration, and retries of an enumerated batch that lost a race. */
const drawsMax = 20
const attemptsMax = drawsMax + 20

/** As many different random codes as wanted, or fewer if the configuration allows hardly more. */
function drawCodes({ project }: Ctx, draw: () => string, wanted: number): string[] {
  const codes = new Map<string, string>()
  for (let tries = 0; codes.size < wanted && tries < wanted * 2 + 10; tries++) {
    const code = draw()
    codes.set(codeKey(project, code), code)
  }
  return [...codes.values()]
}

/**
 * Free codes of a nearly exhausted configuration. Enumerates all codes of a small one from a random start, and a range of
 * a large one.
 */
async function enumerateFreeCodes(ctx: Ctx, config: CodeConfig, wanted: number): Promise<string[]> {
  const capacity = capacityOf(config, ctx.project)
  const rangeLength = Number(capacity < BigInt(limits.codes_enumerated_max) ? capacity : limits.codes_enumerated_max)
  const ceiling = Number(capacity < 2n ** 32n ? capacity : 2n ** 32n)
  const start = randomBelow(ceiling)
  const codeAt = enumerateCodes(config, ctx.project)
  const freeCodes: string[] = []
  for (let at = 0; at < rangeLength && freeCodes.length < wanted; at += enumeratedAtOnce) {
    const codes = new Map<string, string>()
    for (let n = at; n < Math.min(at + enumeratedAtOnce, rangeLength); n++) {
      const code = codeAt((start + n) % ceiling)
      codes.set(codeKey(ctx.project, code), code)
    }
    const takenKeys = await listTakenKeys(ctx, [...codes.keys()])
    await setImmediate() // yields to other requests: the embedded database never pauses
    for (const [key, code] of codes) if (!takenKeys.has(key)) freeCodes.push(code)
  }
  return freeCodes.slice(0, wanted)
}

const enumeratedAtOnce = 2_000

/** Refuses the request at once if so many codes are not available (docs/reference/codes.md#uniqueness-and-exhaustion). */
export async function refuseUnlessPossible(ctx: Ctx, config: CodeConfig, count: number): Promise<void> {
  const capacity = capacityOf(config, ctx.project)
  if (BigInt(count) > capacity) throw exhausted()
  // The codes of the project cannot fill the capacity; or a single code, where the draw itself finds out.
  if (count === 1 || capacity - BigInt(count) >= BigInt(await countCodes(ctx))) return
  const usedCount = await countKeys(ctx, config)
  if (BigInt(count) > capacity - BigInt(usedCount)) throw exhausted()
}

/** Number of codes of the project, including those in the bin. */
async function countCodes({ db, project_id }: Ctx): Promise<number> {
  const { rows } = await sql<{ codes: number }>`select ${tallyOf(project_id, 'codes')} as codes`.execute(db)
  return rows[0]?.codes ?? 0
}

/** Number of codes of the project that match the configuration, including those in the bin. */
async function countKeys({ db, project, project_id }: Ctx, config: CodeConfig): Promise<number> {
  const { prefix, pattern } = keyPattern(config, project)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from vouchers
    where project_id = ${project_id} and code_key ^@ ${prefix} and code_key ~ ${pattern}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Inserts vouchers for those codes that are free. A conflict check per code costs a quarter more than a plain insert: if
 * `isConflictUnlikely`, all codes are inserted without it in a savepoint, and again with it only if that fails.
 */
async function insertFree(
  ctx: Ctx,
  template: VoucherTemplate,
  codes: readonly string[],
  { isConflictUnlikely }: { isConflictUnlikely: boolean },
): Promise<Array<Id<'voucher'>>> {
  if (!isConflictUnlikely)
    return insertCodes(ctx, template, codes, {
      in_order: sql`order by coalesce(made.code_key, made.code)`, // prevents a deadlock of two transactions that insert the same codes
      on_conflict: sql`on conflict (project_id, code_key) do nothing`,
    })
  await sql`savepoint codes`.execute(ctx.db)
  try {
    const ids = await insertCodes(ctx, template, codes, { in_order: sql``, on_conflict: sql`` })
    await sql`release savepoint codes`.execute(ctx.db)
    return ids
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await sql`rollback to savepoint codes`.execute(ctx.db)
    await sql`release savepoint codes`.execute(ctx.db)
    return insertFree(ctx, template, codes, { isConflictUnlikely: false })
  }
}

/**
 * Inserts vouchers of one template in one statement, and returns the ids of those whose code was free. Ids are sorted, so
 * that inserts stay at the right edge of their indexes; an id reveals nothing about its code.
 */
async function insertCodes(
  ctx: Ctx,
  template: VoucherTemplate,
  codes: readonly string[],
  { in_order, on_conflict }: { in_order: RawBuilder<unknown>; on_conflict: RawBuilder<unknown> },
): Promise<Array<Id<'voucher'>>> {
  if (codes.length === 0) return []
  const { db, project, project_id, now } = ctx
  const at = Date.parse(now)
  const ids = codes.map(() => newId('voucher', at)).sort()
  const assets = codes.map(() => newAssetId(at)).sort()
  // Null: the keys equal the codes.
  const keys = project.case_sensitive_codes ? null : codes.map((code) => codeKey(project, code))
  const { credits } = template
  const none = credits === null ? null : 0
  const { rows } = await sql<{ ids: string | null }>`
    with made as (
      insert into vouchers (project_id, id, code, code_key, type, campaign_id, category_id, terms_id, start_date,
        expiration_date, quantity, credits_added, credits_subtracted, credits_redeemed, credits_expired, credits_pending,
        active, additional_info, metadata, is_referral_code, is_automatic, asset_id, created_at)
      select own.id, made.id, made.code, coalesce(made.code_key, made.code), ${template.type}, ${template.campaign_id}, ${template.category_id},
        ${template.terms_id}, ${template.start_date}::timestamptz, ${template.expiration_date}::timestamptz, ${template.quantity}::bigint,
        ${credits}::bigint, ${none}::bigint, ${none}::bigint, ${none}::bigint, ${none}::bigint,
        ${template.active}::boolean, ${template.additional_info}, ${template.metadata === null ? null : JSON.stringify(template.metadata)}::jsonb,
        ${template.is_referral_code}::boolean, ${template.is_automatic}::boolean, made.asset_id, ${now}::timestamptz
      from projects own, unnest(${plainArray(ids)}::text[], ${codes}::text[], ${keys}::text[], ${plainArray(assets)}::uuid[])
        as made (id, code, code_key, asset_id)
      where own.id = ${project_id}
      ${in_order} ${on_conflict}
      returning id
    )
    select string_agg(id, ',') as ids from made`.execute(db)
  return (rows[0]?.ids?.split(',') ?? []) as Array<Id<'voucher'>>
}

/** A PostgreSQL array literal of words that need no quoting: cheaper to build and parse for the many ids of a batch. */
const plainArray = (words: readonly string[]): string => `{${words.join(',')}}`

/**
 * A secret in the form of a UUID (version 7): a timestamp, so that inserts stay at the right edge of their index, and 74
 * random bits.
 */
export function newAssetId(at: number): string {
  if (randomBytesUsed === randomBytes.length) {
    randomFillSync(randomBytes)
    randomBytesUsed = 0
  }
  const bytes = randomBytes.subarray(randomBytesUsed, randomBytesUsed + 10).toString('hex')
  randomBytesUsed += 10
  const time = at.toString(16).padStart(12, '0')
  const variant = '89ab'[Number.parseInt(bytes[3] as string, 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bytes.slice(0, 3)}-${variant}${bytes.slice(4, 7)}-${bytes.slice(7, 19)}`
}

const randomBytes = Buffer.alloc(10_240)
let randomBytesUsed = randomBytes.length

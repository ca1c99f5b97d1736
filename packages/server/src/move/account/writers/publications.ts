import { sql } from 'kysely'
import { type Tally, tallyMany } from '../../../core/db/tallies.ts'
import { figureTallies } from '../../../incentives/campaigns/summary-figures.ts'
import { type Batch, forEach, insertMain, insertParts, ownId, reference, type Writer } from '../batch.ts'
import { type Foreign, LeftOut, list, moments, oneOf, part, text } from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { derivedId, keptId } from '../kept-id.ts'

interface VoucherPart {
  id: string
  code: string
  type: string
  campaign_id: string | null
  is_referral_code: boolean
}

export const publications: Writer = {
  list: 'publications',
  size: 1_000,
  async write(batch) {
    const { ctx, objects } = batch
    const customerIds = await present(
      ctx,
      'customers',
      objects.map((one) => reference('customer', one, 'customer_id')),
    )
    const codes = await vouchersOf(batch, objects.flatMap(voucherIdsOf))
    const rows = await forEach(batch, (publication) => {
      const voucherIds = voucherIdsOf(publication).filter((id) => codes.has(id))
      const first = codes.get(voucherIds[0] ?? '')
      const result = oneOf({ result: 'SUCCESS', ...publication }, 'result', ['SUCCESS', 'FAILURE'])
      if (result === 'SUCCESS' && first === undefined) throw new LeftOut('none of its codes was carried over')
      const customerId = reference('customer', publication, 'customer_id')
      return {
        id: ownId(batch, 'publication', publication),
        customer_id: customerId !== null && customerIds.has(customerId) ? customerId : null,
        campaign_id: first?.campaign_id ?? null,
        voucher_ids: voucherIds,
        voucher_code: first?.code ?? null,
        voucher_type: first?.type ?? null,
        is_referral_code: first?.is_referral_code ?? false,
        source_id: text(publication, 'source_id'),
        channel: text(publication, 'channel') ?? 'API',
        metadata: part(publication, 'metadata'),
        result,
        failure_code: text(publication, 'failure_code'),
        failure_message: text(publication, 'failure_message'),
        ...createdOnly(publication, batch),
      }
    })
    const inserted = await insertMain(batch, 'publications', rows)
    await insertParts(
      batch,
      'holders',
      inserted.flatMap((row) => holdersOf(row, codes)),
    )
    await tallyMany(ctx.db, ctx.project_id, talliesOf(batch, inserted))
  },
}

const createdOnly = (object: Foreign, { copied_at }: Batch) => ({ created_at: moments(object, copied_at).created_at })

/** `vouchers_id`, or the one voucher that the publication shows. */
function voucherIdsOf(publication: Foreign): string[] {
  const ids = list(publication, 'vouchers_id').flatMap((id) => (typeof id === 'string' ? [id] : []))
  const shown = text(part(publication, 'voucher'), 'id')
  return (ids.length > 0 || shown === null ? ids : [shown]).map((id) => keptId('voucher', id))
}

/** Vouchers of the project by id. */
export async function vouchersOf({ ctx }: Batch, ids: Iterable<string | null>): Promise<Map<string, VoucherPart>> {
  const wanted = [...new Set([...ids].filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<VoucherPart>`
    select id, code, type, campaign_id, is_referral_code from vouchers
    where project_id = ${ctx.project_id} and id = any(${wanted}::text[])`.execute(ctx.db)
  return new Map(rows.map((row) => [row.id, row]))
}

interface PublicationPart {
  id: string
  customer_id: string | null
  voucher_ids: string[]
  result: string
  created_at: string
}

function holdersOf(
  { id, customer_id, voucher_ids, result, created_at }: PublicationPart,
  codes: ReadonlyMap<string, VoucherPart>,
) {
  if (customer_id === null || result !== 'SUCCESS') return []
  return voucher_ids.map((voucherId) => {
    const code = codes.get(voucherId)
    return {
      id: derivedId('holder', `${voucherId} ${customer_id}`, Date.parse(created_at)),
      voucher_id: voucherId,
      customer_id,
      campaign_id: code?.campaign_id ?? null,
      role: code?.is_referral_code === true ? 'REFERRER' : 'OWNER',
      publication_id: id,
      created_at,
    }
  })
}

function talliesOf(
  { ctx }: Batch,
  rows: ReadonlyArray<PublicationPart & { campaign_id: string | null }>,
): Array<[Tally, number]> {
  const sums = new Map<Tally, number>([['publications', rows.length]])
  for (const { campaign_id, result, created_at } of rows) {
    if (campaign_id === null) continue
    const figure = result === 'SUCCESS' ? 'publications_succeeded' : 'publications_failed'
    for (const [name, delta] of figureTallies({ ...ctx, now: created_at }, campaign_id as `camp_${string}`, {
      [figure]: 1,
    }))
      sums.set(name, (sums.get(name) ?? 0) + delta)
  }
  return [...sums]
}

import { sql } from 'kysely'
import { type Batch, forEach, insertMain, insertParts, reference, type Writer } from '../batch.ts'
import { amount, type Foreign, LeftOut, moments, part, requiredText, text } from '../foreign.ts'
import type { NewRow } from '../insert-rows.ts'
import { derivedId, isKept, keptId } from '../kept-id.ts'
import { hasLedger } from '../open-cards.ts'
import { count } from '../report.ts'
import { vouchersOf } from './publications.ts'

/**
 * The points of a card that expire, by day. The rest of its balance never does (cards.ts). A card has one lot for each day; another
 * service may have several, in any batch. The first of them is the lot, and the others wait beside it as if they were closed, until
 * the ledger of the card is opened with their sum (open-cards.ts): so each has a row of its own, and a repeated batch adds nothing.
 */
export const pointsExpirations: Writer = {
  list: 'points-expirations',
  size: 1_000,
  async write(batch) {
    const { report } = batch
    const lots = await forEach(batch, (row) => ({
      id: lotId(requiredText(row, 'id')),
      voucher_id: keptId('voucher', requiredText(row, 'voucher_id')),
      points: pointsIn(row),
      expires_at: dayIn(row, 'expires_at'),
      is_open: row.status === 'ACTIVE',
    }))
    const cards = await cardsOf(batch, lots)
    const rows = lots.flatMap(({ is_open, points, ...lot }) => {
      const card = cards.get(lot.voucher_id)
      // What has expired or was spent is in the counters of the card, and what never expires is the rest of its balance. A batch that
      // is repeated after the ledgers were opened finds its lots in them.
      if (!is_open || points === 0 || lot.expires_at === null || card?.has_ledger) {
        report.written += 1
        return []
      }
      if (card === undefined || card.undated < points) {
        count(report.left_out, 'more points expire than the card has, or the card was not carried over', lot.id)
        return []
      }
      card.undated -= points
      const first = card.lots[lot.expires_at] ?? lot.id
      card.lots[lot.expires_at] = first
      const amounts = first === lot.id ? { points, expired_points: null } : { points: 0, expired_points: points }
      return [{ ...lot, ...amounts, created_at: batch.copied_at }]
    })
    await insertMain(batch, 'lots', rows)
  },
}

const lotId = (foreign: string): string =>
  isKept('points_bucket', foreign) ? foreign : derivedId('points_bucket', foreign)

/** A file has only text. */
function pointsIn(row: Foreign): number {
  const points = Number(row.points)
  if (!Number.isSafeInteger(points) || points < 0) throw new LeftOut('Property .points is no integer')
  return points
}

const dayIn = (row: Foreign, name: string): string | null => /^\d{4}-\d\d-\d\d/.exec(text(row, name) ?? '')?.[0] ?? null

interface CardPart {
  id: string
  has_ledger: boolean
  /** The points in no lot with a date, and in none of the batch: an earlier run may have written those. */
  undated: number
  /** The lot of each day. */
  lots: Record<string, string>
}

async function cardsOf(
  { ctx }: Batch,
  lots: ReadonlyArray<{ id: string; voucher_id: string }>,
): Promise<Map<string, CardPart>> {
  const { rows } = await sql<CardPart>`
    select v.id, ${hasLedger(ctx.project_id)} as has_ledger,
      v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired - coalesce(dated.points, 0)::bigint as undated,
      coalesce(dated.lots, '{}') as lots
    from vouchers v cross join lateral (
      select sum(l.points + coalesce(l.expired_points, 0)) filter (where l.id <> all(${lots.map(({ id }) => id)}::text[])) as points,
        jsonb_object_agg(l.expires_at::text, l.id) filter (where l.expired_points is null) as lots
      from lots l where l.project_id = ${ctx.project_id} and l.voucher_id = v.id and l.expires_at is not null) dated
    where v.project_id = ${ctx.project_id} and v.id = any(${lots.map((lot) => lot.voucher_id)}::text[])
      and v.type = 'LOYALTY_CARD'`.execute(ctx.db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Points that orders have earned and that become active later. */
export const pendingPoints: Writer = {
  list: 'pending-points',
  size: 1_000,
  async write(batch) {
    const codes = await vouchersOf(
      batch,
      batch.objects.map((one) => reference('voucher', one, 'voucher_id')),
    )
    const rows = await forEach(batch, (pending) => rowOf(batch, codes, pending))
    const inserted = await insertMain(batch, 'pending_points', rows)
    await insertParts(batch, 'postings', inserted.map(postingOf))
    await insertParts(
      batch,
      'earnings',
      inserted.flatMap((row) => earningOf(row, row.order_id === noOrder(row.id) ? null : row.order_id, row.details)),
    )
  },
}

/** An order that does not exist, for points that name none: one of their own, so that they are not taken for points of the same order. */
const noOrder = (pendingId: string) => derivedId('order', `of ${pendingId}`)

function rowOf(batch: Batch, codes: Awaited<ReturnType<typeof vouchersOf>>, pending: Foreign) {
  const card = codes.get(keptId('voucher', requiredText(pending, 'voucher_id')))
  if (card === undefined || card.campaign_id === null) throw new LeftOut('its card was not carried over')
  const activatesAt = dayIn(pending, 'activates_at')
  if (activatesAt === null) throw new LeftOut('Property .activates_at is no date')
  const when = moments(pending, batch.copied_at)
  const foreign = requiredText(pending, 'id')
  const id = isKept('pending_points', foreign) ? foreign : derivedId('pending_points', foreign, Date.parse(activatesAt))
  const orderId = reference('order', pending, 'order_id')
  if (orderId === null)
    count(batch.report.changed, 'it names no order, and got the id of one that does not exist', foreign)
  return {
    id,
    voucher_id: card.id,
    campaign_id: card.campaign_id,
    customer_id: keptId('customer', requiredText(pending, 'customer_id')),
    order_id: orderId ?? noOrder(id),
    points: amount(pending, 'points'),
    activates_at: activatesAt,
    details: part(pending, 'details'),
    status: 'PENDING',
    ...when,
  }
}

const postingOf = (row: ReturnType<typeof rowOf>) => ({
  voucher_id: row.voucher_id,
  id: derivedId('posting', row.id, Date.parse(row.created_at)),
  source: 'issued',
  destination: 'pending',
  amount: row.points,
  lot_id: row.id,
  expires_at: row.activates_at,
  created_at: row.created_at,
})

/** An earning rule that has paid for an order does not pay again when the order changes. */
export function earningOf(
  row: { voucher_id: string; created_at: string },
  orderId: string | null,
  details: Foreign,
): NewRow[] {
  const rule = part(details, 'earning_rule').id
  if (orderId === null || typeof rule !== 'string') return []
  return [
    {
      order_id: orderId,
      voucher_id: row.voucher_id,
      earning_rule_id: keptId('earning_rule', rule),
      created_at: row.created_at,
    },
  ]
}

import { sql } from 'kysely'
import { type Batch, forEach, insertMain, insertParts, reference, type Writer } from '../batch.ts'
import { amount, type Foreign, LeftOut, moments, part, requiredText, text } from '../foreign.ts'
import type { NewRow } from '../insert-rows.ts'
import { derivedId, isKept, keptId } from '../kept-id.ts'
import { count } from '../report.ts'
import { vouchersOf } from './publications.ts'

/** The points of a card that expire, by day. The rest of its balance never does (cards.ts). */
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
    const undated = await undatedPoints(batch, lots)
    const rows = lots.flatMap(({ is_open, ...lot }) => {
      // What has expired or was spent is in the counters of the card, and what never expires is the rest of its balance.
      if (!is_open || lot.points === 0 || lot.expires_at === null) {
        report.written += 1
        return []
      }
      const rest = (undated.get(lot.voucher_id) ?? 0) - lot.points
      if (rest < 0) {
        count(report.left_out, 'more points expire than the card has, or the card was not carried over', lot.id)
        return []
      }
      undated.set(lot.voucher_id, rest)
      return [{ ...lot, created_at: batch.copied_at }]
    })
    await insertMain(batch, 'lots', oneLotPerDay(rows))
  },
}

/** A card has one lot for each day; another service may have several. They become the first of them. */
function oneLotPerDay<Lot extends { voucher_id: string; expires_at: string | null; points: number }>(
  rows: Lot[],
): Lot[] {
  const dayOf = ({ voucher_id, expires_at }: Lot) => `${voucher_id} ${expires_at}`
  const lots = new Map<string, Lot>()
  for (const row of rows) {
    const first = lots.get(dayOf(row))
    lots.set(dayOf(row), first === undefined ? row : { ...first, points: first.points + row.points })
  }
  return rows.map((row) => lots.get(dayOf(row)) as Lot)
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

/** The points of each card that are in no lot with a date, except these lots themselves, if an earlier run wrote them. */
async function undatedPoints(
  { ctx }: Batch,
  lots: ReadonlyArray<{ id: string; voucher_id: string }>,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; points: number }>`
    select v.id, v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired - coalesce((
      select sum(l.points) from lots l where l.project_id = v.project_id and l.voucher_id = v.id and l.expired_points is null
        and l.expires_at is not null and l.id <> all(${lots.map(({ id }) => id)}::text[])), 0)::bigint as points
    from vouchers v
    where v.project_id = ${ctx.project_id} and v.id = any(${lots.map((lot) => lot.voucher_id)}::text[])
      and v.type = 'LOYALTY_CARD'`.execute(ctx.db)
  return new Map(rows.map(({ id, points }) => [id, points]))
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

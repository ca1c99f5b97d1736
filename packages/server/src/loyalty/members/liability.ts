import { readDay, startOfDay, zoneOf } from '@guerdon/engine'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { invalidQuery, notFound } from '../../core/http/errors.ts'
import { type Instant, parseInstant, toInstant } from '../../core/lib/instant.ts'
import { clockOf, dateText } from '../../core/query/filter/calendar.ts'
import { getCampaign, type StoredCampaign } from '../../incentives/campaigns/store.ts'
import type { Liability } from './schema.ts'

/** A campaign whose cards have a balance; 404 for other types. */
export async function getCampaignWithCards(ctx: Ctx, key: string): Promise<StoredCampaign> {
  const campaign = await getCampaign(ctx, key)
  if (!Object.hasOwn(assets, campaign.campaign_type)) throw notFound('campaign', key)
  return campaign
}

const assets: Partial<Record<StoredCampaign['campaign_type'], Liability['asset']>> = {
  LOYALTY_PROGRAM: 'points',
  GIFT_VOUCHERS: 'credits',
}

/**
 * The liability of a campaign to the holders of its cards at a given time. It is computed from postings alone, so it is
 * available for any past day.
 */
export async function liabilityOf(
  ctx: Ctx,
  campaign: StoredCampaign,
  asOfParameter: string | undefined,
): Promise<Liability> {
  const asOf = readMoment(ctx, asOfParameter)
  const { months, pending, cards } = await sumPostings(ctx, campaign.id, asOf)
  const expiring = months.flatMap(({ month, amount }) => (month === null ? [] : [{ month, amount }]))
  const nonExpiring = months.find(({ month }) => month === null)?.amount ?? 0
  return {
    object: 'liability',
    campaign: { id: campaign.id, name: campaign.name, object: 'campaign' },
    as_of: asOf,
    asset: assets[campaign.campaign_type] ?? 'points',
    outstanding: expiring.reduce((sum, { amount }) => sum + amount, nonExpiring),
    pending,
    expiring,
    non_expiring: nonExpiring,
    cards,
  }
}

/** A date stands for its end: the liability of 31 December includes everything posted on that day. */
function readMoment({ now, project: { timezone } }: Ctx, asOfParameter: string | undefined): Instant {
  if (asOfParameter === undefined) return now
  const moment = parseInstant(asOfParameter)
  if (moment === null) throw invalidQuery('Property .as_of cannot be recognized as a ISO-8601 compliant date')
  const day = readDay(asOfParameter)
  if (day === null) return moment
  const end = startOfDay(day + 1, zoneOf(timezone)) - 1
  return toInstant(Math.max(firstMoment, Math.min(end, lastMoment)))
}

// Years with four digits.
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z')
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

interface Sums {
  /** The outstanding amount by month of expiry; null: never expires. */
  months: Array<{ month: string | null; amount: number }>
  pending: number
  cards: number
}

/**
 * Every posting has the expiration date of its lot, and a card has one lot per date: the amount outstanding for a date is the
 * sum credited to cards with that date minus the sum taken, over all cards. Overdue lots count as expired, whether or not the
 * daily job had closed them by then. The postings of the cards are read once, and only the sums per date are kept.
 */
async function sumPostings(
  { db, project_id, project: { timezone } }: Ctx,
  campaignId: string,
  asOf: Instant,
): Promise<Sums> {
  const today = dateText(clockOf({ now: asOf, timezone }).today)
  const { rows } = await sql<Sums>`
    with cards as not materialized (
      select id from vouchers where project_id = ${project_id} and campaign_id = ${campaignId}
        and created_at <= ${asOf}::timestamptz and (deleted_at is null or deleted_at > ${asOf}::timestamptz)
    ), days as materialized (
      select postings.expires_at as day,
        sum(case postings.voucher_id when postings.destination then amount when postings.source then -amount else 0 end)
          as amount,
        sum(case 'pending' when postings.destination then amount when postings.source then -amount else 0 end) as pending
      from cards join postings on postings.project_id = ${project_id} and postings.voucher_id = cards.id
      where postings.created_at <= ${asOf}::timestamptz
      group by postings.expires_at
    ), months as (
      select to_char(day, 'YYYY-MM') as month, sum(amount) as amount from days
      where amount > 0 and (day is null or day >= ${today}::date) group by 1
    )
    select
      (select coalesce(jsonb_agg(to_jsonb(months) order by month), '[]') from months) as months,
      (select coalesce(sum(pending), 0) from days) as pending,
      (select count(*) from cards) as cards`.execute(db)
  return rows[0] ?? { months: [], pending: 0, cards: 0 }
}

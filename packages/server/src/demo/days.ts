import type { Chance } from './chance.ts'
import { type History, publish } from './checkout.ts'
import { type Step, stepsOfElif } from './elif.ts'
import { codes } from './known.ts'
import type { DemoPerson } from './people.ts'
import { dayMs, type Plan } from './plan.ts'
import {
  giveGiftCard,
  newVisitor,
  sendBirthdayCard,
  signUp,
  takeReward,
  tryEachInVain,
  tryExpiredCode,
  visit,
  visitByPartner,
  visitInVain,
  writeReview,
} from './visits.ts'

/** Lives through the days of the plan, step by step in the order of time; tells how many days are over. */
export async function makeHistory(
  history: History,
  { imported, newcomers }: { imported: readonly DemoPerson[]; newcomers: readonly DemoPerson[] },
  onDay: (day: number) => void,
): Promise<void> {
  const { shop, plan } = history
  history.visitors.push(...imported.map(newVisitor))
  const once = [...stepsOfElif(history), ...campaignSteps(history, newcomers)]
  for (let day = 0; day <= plan.days; day += 1) {
    const from = plan.start + day * dayMs
    shop.clock.moveTo(from + 5 * 60_000)
    if (day > 0) await shop.runDailyJobs()
    if (day % 15 === 1) await shop.maintain()
    const isToday = ({ at }: Step) => at >= from && at < from + dayMs
    const due = history.returns.filter(({ at }) => at < from + dayMs)
    history.returns = history.returns.filter(({ at }) => at >= from + dayMs)
    const steps = [...once.filter(isToday), ...due, ...ordinarySteps(history, day)]
    for (const { at, run } of steps.sort((a, b) => a.at - b.at)) {
      if (at > plan.present - lastMinutesMs) break
      shop.clock.moveTo(at)
      await run()
    }
    onDay(day)
  }
}

/** The last steps end before the present, whatever they take. */
const lastMinutesMs = 10 * 60_000

/** Steps that are planned for the whole time: new customers, partnerships, birthdays, imports. */
function campaignSteps(history: History, newcomers: readonly DemoPerson[]): Step[] {
  const { shop, chance, plan, club, visitors } = history
  const { start, present } = plan
  const moment = (from: number, to: number) => shopHour(chance, from + chance.next() * (to - from))
  const times = (count: number, from: number, to: number, run: () => Promise<void>): Step[] =>
    Array.from({ length: count }, () => ({ at: moment(from, to), run }))
  // Two days before the present: those of today would be left out if the hour is not yet there.
  const latest = present - 2 * dayMs
  const { codes_count, left_count } = plan.birthday
  const firstReferrers: Step = {
    at: start + dayMs / 2,
    async run() {
      for (const owner of visitors.filter(({ likes_points }) => likes_points).slice(1, 8)) {
        shop.clock.advance(40)
        const code = await publish(history, owner, { campaign: club.friends_id })
        history.friend_codes.push({ code, owner: owner.source_id })
      }
    },
  }
  return [
    firstReferrers,
    ...newcomers.map((person) => ({ at: moment(start + dayMs, latest), run: () => signUp(history, person) })),
    ...times(plan.influencer.uses, start + dayMs, latest, () => visitByPartner(history, codes.influencer)),
    ...times(plan.podcast.uses, start + dayMs, plan.podcast.until, () => visitByPartner(history, codes.podcast)),
    ...times(codes_count - left_count, start + dayMs, latest, () => sendBirthdayCard(history)),
    ...Array.from({ length: 24 }, () => ({
      at: present - (0.1 + 1.4 * chance.next()) * dayMs,
      run: () => tryExpiredCode(history),
    })),
    { at: latest - dayMs / 2, run: () => tryEachInVain(history) },
    { at: present - 1.2 * dayMs, run: () => importCodes(history, brokenFile) },
    { at: present - 1.19 * dayMs, run: () => importCodes(history, fileWithErrors) },
  ]
}

/** What happens on every day: more at weekends, in the sale, and towards the present. */
function ordinarySteps(history: History, day: number): Step[] {
  const { chance, plan } = history
  const from = plan.start + day * dayMs
  const times = (count: number, run: () => Promise<void>): Step[] =>
    Array.from({ length: count }, () => ({ at: shopHour(chance, from), run }))
  const orders = ordersOf(chance, plan, day)
  return [
    ...times(orders, () => visit(history)),
    ...times(Math.round(orders * 0.08), () => visitInVain(history)),
    ...times(chance.between(0, 2), () => giveGiftCard(history)),
    ...times(chance.between(0, 4), () => writeReview(history)),
    ...times(chance.between(0, 2), () => takeReward(history)),
  ]
}

function ordersOf(chance: Chance, plan: Plan, day: number): number {
  const at = plan.start + day * dayMs
  const growth = 0.5 + (0.5 * day) / plan.days
  const weekday = weekdays[new Date(at).getUTCDay()] as number
  const isSale = at >= plan.sale.from && at < plan.sale.to
  return Math.round(plan.orders_per_day * growth * weekday * (isSale ? 1.9 : 1) * (0.88 + chance.next() * 0.24))
}

/** How much is ordered from Sunday to Saturday. */
const weekdays = [1.25, 0.85, 0.8, 0.85, 0.95, 1.1, 1.3]

/** A moment of the same day: mostly in the evening, but customers live in all time zones. */
function shopHour(chance: Chance, at: number): number {
  const hour = chance.isTrue(0.3) ? 24 * chance.next() : 7 + 16 * Math.max(chance.next(), chance.next())
  return Math.floor(at / dayMs) * dayMs + Math.round(hour * 3_600_000)
}

/** Fails as a whole: the column with the codes is missing. */
const brokenFile = ['Coupon,Voucher Type,Discount Type,Value', 'TRADE-001,DISCOUNT_VOUCHER,PERCENT,15'].join('\n')

/** Five codes for a trade fair, and four lines that are refused. */
const fileWithErrors = [
  'Code,Voucher Type,Discount Type,Value,Category',
  'TRADE-001,DISCOUNT_VOUCHER,PERCENT,15,Codes',
  'TRADE-002,DISCOUNT_VOUCHER,PERCENT,15,Codes',
  'TRADE-003,DISCOUNT_VOUCHER,PERCENT,15 %,Codes',
  'TRADE-004,DISCOUNT_VOUCHER,PERCENT,150,Codes',
  'TRADE-005,DISCOUNT_VOUCHER,,15,Codes',
  `${codes.newsletter},DISCOUNT_VOUCHER,PERCENT,15,Codes`,
  'TRADE-006,DISCOUNT_VOUCHER,PERCENT,15,Codes',
  'TRADE-007,GIFT_VOUCHER,,2500,Gift cards',
  'TRADE-008,DISCOUNT_VOUCHER,AMOUNT,700,Codes',
].join('\n')

async function importCodes({ shop }: History, csv: string): Promise<void> {
  await shop.importCsv('/v1/vouchers/importCSV', csv)
}

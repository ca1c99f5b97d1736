import type { ConfiguredRewardAssignment } from '../../core/configuration/configuration.ts'
import { redeemAutomatically } from '../../redemptions/redeem-automatically.ts'
import { type Books, type Card, cardNamed, type Moment, madeUpFor, noteMoved, turnPage } from './books.ts'
import { isRedeemable } from './due.ts'
import { followGrown } from './follow.ts'
import type { Grown } from './issue.ts'

/** So many units at once, and so many times a day (docs/reference/rewards.md#automatic-redemption). */
const units_max = 25
const runs_max = 10

/**
 * Redeems points for the reward that a program redeems by itself, while there are enough of them. What cannot be issued ends it
 * silently and leaves the points. A run counts before it begins, so that rewards that pay for each other come to an end.
 */
export async function autoRedeem(books: Books, voucher_id: string, moment: Moment): Promise<void> {
  const card = cardNamed(books, voucher_id)
  if (card === undefined || !isRedeemable(books.configuration, card, moment.spent_on)) return
  const { member, program } = card
  const runs = member.redeemed_on === moment.today ? member.redeemed_runs : 0
  if (runs >= runs_max || program.auto_redeem === null) return
  card.member = { ...member, redeemed_on: moment.today, redeemed_runs: runs + 1 }
  card.is_member_changed = true
  const assignment = program.auto_redeem
  const given = await turnPage(books, () => redeemUnits(books, card, assignment, moment))
  const redeemed = cardNamed(books, voucher_id)
  if (redeemed !== undefined && given.length > 0) noteMoved(redeemed)
  await followGrown(
    books,
    given.flatMap((grown) => grown ?? []),
    moment,
  )
}

/** What grew by each unit, if anything did. */
async function redeemUnits(
  { ctx, chain }: Books,
  { voucher: { code } }: Card,
  assignment: ConfiguredRewardAssignment,
  moment: Moment,
): Promise<Array<Grown | null>> {
  const given: Array<Grown | null> = []
  while (given.length < units_max) {
    const { spent_on } = moment
    const redeemed = await redeemAutomatically(madeUpFor(ctx, moment), code, assignment, { chain, spent_on })
    if (redeemed === null) break
    given.push(redeemed.grown)
  }
  return given
}

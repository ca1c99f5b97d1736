import { msPerDay } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { wholeProject } from '../sums/figures.ts'
import { wholeQuarters } from '../sums/ranges.ts'
import { noFigures, readSums } from '../sums/read.ts'
import type { AttentionEntry } from './schema.ts'
import { counted } from './words.ts'

/** A reason needs attention from so many refusals in a day on, if they are this share of all attempts. */
const refusalsMin = 20
const shareMin = 0.1

/** Reasons for which many redemptions of the last 24 hours were refused. */
export async function manyRefusals(ctx: Ctx): Promise<AttentionEntry[]> {
  const now = Date.parse(ctx.now)
  const range = wholeQuarters({ from: now - msPerDay, to: now })
  const { points, refusals } = await readSums(ctx, { scope_id: wholeProject, points: [range], range })
  const { redemptions, failed_redemptions } = points[0] ?? noFigures
  const attempts = redemptions + failed_redemptions
  return refusals
    .filter(({ count }) => count >= refusalsMin && count >= shareMin * attempts)
    .map(({ reason, count }) => ({
      id: `many_refusals/${reason}`,
      kind: 'many_refusals' as const,
      severity: 'WARNING' as const,
      message: `In the last 24 hours, ${counted(count, 'redemption')} of ${counted(attempts, 'attempt')} were refused for one reason: ${reason}.`,
      link: {
        place: 'redemptions' as const,
        query: { result: 'FAILURE', failure_code: reason, created_after: toInstant(range.from) },
      },
      data: { reason, count, attempts },
    }))
}

import { setImmediate } from 'node:timers/promises'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Candidates } from './candidates.ts'
import type { Finding, Judge } from './judge.ts'

export interface Page {
  findings: Finding[]
  has_more: boolean
  /** Where the rest begins. */
  more_starting_after?: Instant
}

/** What qualifies, the newest first. It is looked at no more of them than the page needs, and one after it. */
export async function newestPage(
  candidates: Candidates,
  judge: Judge,
  { limit, starting_after }: { limit: number; starting_after: Instant | null },
): Promise<Page> {
  const findings: Finding[] = []
  for await (const finding of found(candidates, judge, limit + 1)) {
    const last = findings.at(-1)
    const { created_at } = finding.offer
    // What was created in the same moment is never split, for the next page begins before that moment
    // (docs/reference/qualifications.md).
    const isSplit = last?.offer.created_at === created_at && findings.length < limits.qualified_at_once_max
    if (last !== undefined && findings.length >= limit && !isSplit)
      return { findings, has_more: true, more_starting_after: last.offer.created_at }
    findings.push(finding)
  }
  const { cut_at } = candidates
  if (cut_at === null) return { findings, has_more: false }

  // Of the moment where it stopped, not all may have been there: the next page begins with it, or after it when it is the
  // only one that fits.
  const after = toInstant(Date.parse(cut_at) + 1)
  if (starting_after !== null && after >= starting_after)
    return { findings, has_more: true, more_starting_after: cut_at }
  return {
    findings: findings.filter(({ offer }) => offer.created_at > cut_at),
    has_more: true,
    more_starting_after: after,
  }
}

/** The first of all that qualifies, by an order that needs to see them all. Only as many as are shown are kept meanwhile. */
export async function rankedPage(
  candidates: Candidates,
  judge: Judge,
  limit: number,
  compare: (one: Finding, other: Finding) => number,
): Promise<Page> {
  const best: Finding[] = []
  let hasMore = false
  for await (const finding of found(candidates, judge, judgedAtOnce)) {
    let place = best.length
    while (place > 0 && compare(finding, best[place - 1] as Finding) < 0) place -= 1
    best.splice(place, 0, finding)
    if (best.length > limit) {
      best.pop()
      hasMore = true
    }
  }
  return { findings: best, has_more: hasMore || candidates.cut_at !== null }
}

const judgedAtOnce = 200

/** What qualifies, in the order of the candidates. A long search lets other requests through. */
async function* found(candidates: Candidates, judge: Judge, first: number): AsyncGenerator<Finding> {
  for (let count = first; ; count = Math.min(count * 2, judgedAtOnce)) {
    const offers = await candidates.next(count)
    yield* await judge.judge(offers)
    if (offers.length < count) return
    await setImmediate()
  }
}

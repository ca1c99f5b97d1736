import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { newTimeSlice } from '../../core/lib/time-slice.ts'
import type { Candidates } from './candidates.ts'
import type { Finding, OfferEvaluator } from './evaluate-offers.ts'
import { above, momentOf, type Position, positionOf, startOf } from './position.ts'

export interface Page {
  findings: Finding[]
  has_more: boolean
  /** The cursor of the next page. */
  more_starting_after?: Instant | Position
}

export interface PageOptions {
  limit: number
  /** The bytes of the element that shows a finding. */
  sizeOf?: (finding: Finding) => number
}

/** The qualified offers, newest first. Stops at the first one beyond the page. */
export async function newestPage(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  { limit, starting_after, sizeOf = () => 0 }: PageOptions & { starting_after: Position | null },
): Promise<Page> {
  const findings: Finding[] = []
  let bytes = 0
  for await (const finding of findQualified(candidates, evaluator, limit + 1)) {
    const last = findings.at(-1)
    bytes += sizeOf(finding)
    if (last !== undefined && positionOf(last.offer) !== positionOf(finding.offer)) {
      // Offers created at the same moment stay on one page as far as possible: then its cursor is a plain moment.
      const { created_at } = last.offer
      const isSplit = created_at === finding.offer.created_at
      const isFull = findings.length >= (isSplit ? Math.max(limit, limits.qualified_at_once_max) : limit)
      if (isFull || bytes > limits.qualification_page_bytes_max)
        return { findings, has_more: true, more_starting_after: isSplit ? positionOf(last.offer) : created_at }
    }
    findings.push(finding)
  }
  const { cut_at } = candidates
  if (cut_at === null) return { findings, has_more: false }

  // The search stopped at `cut_at`, so offers of that moment may be missing: the next page begins with it. If that would be no progress,
  // it begins with the position, which nearly always one offer alone has; if that would be none either, after it.
  const moment = toInstant(Date.parse(momentOf(cut_at)) + 1)
  const after = [moment, above(cut_at)].find((cursor) => starting_after === null || startOf(cursor) < starting_after)
  if (after === undefined) return { findings, has_more: true, more_starting_after: cut_at }
  return {
    findings: findings.filter(({ offer }) => positionOf(offer) >= startOf(after)),
    has_more: true,
    more_starting_after: after,
  }
}

/** The best qualified offers by `compare`, which needs all of them; keeps only one page in memory. */
export async function rankedPage(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  { limit, sizeOf = () => 0 }: PageOptions,
  compare: (a: Finding, b: Finding) => number,
): Promise<Page> {
  const best: Finding[] = []
  let hasMore = false
  for await (const finding of findQualified(candidates, evaluator, evaluatedAtOnce)) {
    let place = best.length
    while (place > 0 && compare(finding, best[place - 1] as Finding) < 0) place -= 1
    best.splice(place, 0, finding)
    if (best.length > limit) {
      best.pop()
      hasMore = true
    }
  }
  let bytes = 0
  const findings: Finding[] = []
  const slice = newTimeSlice()
  for (const finding of best) {
    bytes += sizeOf(finding)
    if (bytes > limits.qualification_page_bytes_max && findings.length > 0) break
    findings.push(finding)
    if (slice.isOver()) await slice.pause()
  }
  return { findings, has_more: hasMore || findings.length < best.length || candidates.cut_at !== null }
}

const evaluatedAtOnce = 200

/** The qualified offers, in the order of the candidates. */
async function* findQualified(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  first: number,
): AsyncGenerator<Finding> {
  for (let count = first; ; count = Math.min(count * 2, evaluatedAtOnce)) {
    const offers = await candidates.next(count)
    yield* await evaluator.evaluate(offers)
    if (offers.length < count) return
  }
}

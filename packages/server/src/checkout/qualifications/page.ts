import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Candidates } from './candidates.ts'
import type { Finding, OfferEvaluator } from './evaluate-offers.ts'

export interface Page {
  findings: Finding[]
  has_more: boolean
  /** The cursor of the next page. */
  more_starting_after?: Instant
}

/** The qualified offers, newest first. Stops at the first one beyond the page. */
export async function newestPage(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  { limit, starting_after, lines = 0 }: { limit: number; starting_after: Instant | null; lines?: number },
): Promise<Page> {
  // Each element shows all lines of the order: fewer fit on a page of a long order.
  const atOnceMax = Math.min(limits.qualified_at_once_max, Math.floor(limits.qualified_lines_max / Math.max(1, lines)))
  const findings: Finding[] = []
  for await (const finding of findQualified(candidates, evaluator, limit + 1)) {
    const last = findings.at(-1)
    const { created_at } = finding.offer
    // Offers created at the same moment stay on one page, because the next page begins before that moment
    // (docs/reference/qualifications.md).
    const isSplit = last?.offer.created_at === created_at && findings.length < atOnceMax
    if (last !== undefined && findings.length >= limit && !isSplit)
      return { findings, has_more: true, more_starting_after: last.offer.created_at }
    findings.push(finding)
  }
  const { cut_at } = candidates
  if (cut_at === null) return { findings, has_more: false }

  // The search stopped within `cut_at`, so offers of that moment may be missing: the next page begins with it, or, if this
  // page has nothing else, after it.
  const after = toInstant(Date.parse(cut_at) + 1)
  if (starting_after !== null && after >= starting_after)
    return { findings, has_more: true, more_starting_after: cut_at }
  return {
    findings: findings.filter(({ offer }) => offer.created_at > cut_at),
    has_more: true,
    more_starting_after: after,
  }
}

/** The best qualified offers by `compare`, which needs all of them; keeps only one page in memory. */
export async function rankedPage(
  candidates: Candidates,
  evaluator: OfferEvaluator,
  limit: number,
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
  return { findings: best, has_more: hasMore || candidates.cut_at !== null }
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

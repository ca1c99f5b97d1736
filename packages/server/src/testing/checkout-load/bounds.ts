import type { Finding } from './findings.ts'
import type { Bound } from './goods.ts'
import type { Ledger, Span, Use } from './model.ts'

/** Checks that no limit was ever exceeded, and that every refusal had a reason. */
export function checkBounds(ledger: Ledger): Finding[] {
  const all = usesByLimit(ledger)
  const overrun = [...all].flatMap(([name, { bound, taken }]) => {
    const peak = peakOf(taken)
    return peak > bound.max ? [`${name} was exceeded: ${peak} of ${bound.max}`] : []
  })
  const groundless = ledger.refusals
    .filter(({ uses, key, span }) => {
      const wanted = new Map<string, { bound: Bound; weight: number }>()
      for (const use of uses)
        for (const { name, bound } of boundsOf(use))
          if ((bound.refusal ?? 'units') === key)
            wanted.set(name, { bound, weight: weightOf(use, bound) + (wanted.get(name)?.weight ?? 0) })
      return ![...wanted].some(
        ([name, { bound, weight }]) => mostDuring(all.get(name)?.taken ?? [], span) + weight > bound.max,
      )
    })
    .map(({ uses, key, span }) => {
      const wanted = uses.map((use) => `${use.thing.id} for ${use.customer}, ${JSON.stringify(numbersOf(use))}`)
      return `refused without a reason: ${key} of ${wanted.join(' + ')} at ${new Date(span.started_at).toISOString()}`
    })
  return [
    { looked_for: 'limits, budgets and balances that were exceeded', times: all.size, violations: overrun },
    { looked_for: 'refusals without a reason', times: ledger.refusals.length, violations: groundless },
  ]
}

/** A use that counts towards a limit: certainly between two moments, possibly between two others. */
interface LimitUse {
  weight: number
  maybe_from: number
  surely_from: number
  surely_until: number
  maybe_until: number
}

/** All uses that counted towards a limit, by the name of the limit. */
function usesByLimit({ checkouts, holds }: Ledger): Map<string, { bound: Bound; taken: LimitUse[] }> {
  const all = new Map<string, { bound: Bound; taken: LimitUse[] }>()
  const take = (use: Use, times: Omit<LimitUse, 'weight'>, counts: (bound: Bound) => boolean) => {
    for (const { name, bound } of boundsOf(use).filter(({ bound }) => counts(bound))) {
      const found = all.get(name) ?? { bound, taken: [] }
      all.set(name, found)
      found.taken.push({ weight: weightOf(use, bound), ...times })
    }
  }
  for (const { children, span, undone } of checkouts) {
    const times = {
      maybe_from: span.started_at,
      surely_from: span.ended_at,
      surely_until: undone?.started_at ?? Number.POSITIVE_INFINITY,
      maybe_until: undone?.ended_at ?? Number.POSITIVE_INFINITY,
    }
    for (const use of children) take(use, times, () => true)
  }
  for (const { uses, span, ttl_ms, ended } of holds) {
    const times = {
      maybe_from: span.started_at,
      surely_from: span.ended_at,
      surely_until: Math.min(span.started_at + ttl_ms, ended?.started_at ?? Number.POSITIVE_INFINITY),
      maybe_until: Math.min(span.ended_at + ttl_ms, ended?.ended_at ?? Number.POSITIVE_INFINITY),
    }
    if (times.surely_until > times.surely_from) for (const use of uses) take(use, times, isHeld)
    else for (const use of uses) take(use, { ...times, surely_from: 0, surely_until: 0 }, isHeld)
  }
  return all
}

/** Sessions hold redemptions and credits of codes, but nothing that validation rules count. */
const isHeld = ({ refusal }: Bound): boolean => refusal !== null && refusal !== 'redemption_rules_violated'

/** The most that was certainly in use at one time; above the limit, it was exceeded. */
function peakOf(taken: readonly LimitUse[]): number {
  const changes = taken
    .filter(({ surely_from, surely_until }) => surely_until > surely_from)
    .flatMap(({ weight, surely_from, surely_until }) => [
      { at: surely_from, by: weight },
      { at: surely_until, by: -weight },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by)
  let sum = 0
  let peak = 0
  for (const { by } of changes) {
    sum += by
    peak = Math.max(peak, sum)
  }
  return peak
}

/** The most that can have been in use at some time during a request. */
const mostDuring = (taken: readonly LimitUse[], { started_at, ended_at }: Span): number =>
  taken
    .filter(({ maybe_from, maybe_until }) => maybe_from <= ended_at && maybe_until >= started_at)
    .reduce((sum, { weight }) => sum + weight, 0)

const boundsOf = (use: Use): Array<{ name: string; bound: Bound }> =>
  use.thing.bounds.map((bound) => ({
    name: bound.is_per_customer ? `${bound.name} by ${use.customer}` : bound.name,
    bound,
  }))

const weightOf = (use: Use, { measure }: Bound): number => (measure === 'redemptions' ? 1 : use[measure])

const numbersOf = ({ discount, credits, units }: Use) => ({ discount, credits, units })

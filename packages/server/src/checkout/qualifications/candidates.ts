import { limits } from '../../core/lib/limits.ts'
import type { CodesFound } from './codes.ts'
import { newestFirst, type Offer } from './offers.ts'
import { type Position, positionOf, voucherIdBound } from './position.ts'

/** The stream of offers that may qualify, newest first; read only as far as `next` is called. */
export interface Candidates {
  /** The next `count` offers; fewer at the end of the stream. */
  next(count: number): Promise<Offer[]>
  /** Set when the search stopped at a limit: all offers newer than this have been returned. */
  readonly cut_at: Position | null
}

export interface CandidateSources {
  /** From the cached configuration, newest first. */
  configured: readonly Offer[]
  /** The next vouchers: those created before an id, or the newest ones. */
  loadCodes(before: string | null, count: number): Promise<CodesFound>
  /** The cursor: both streams begin before this position. */
  starting_after: Position | null
  /** Lines of the order: with many of them, a request evaluates fewer offers. */
  lines: number
  /** A cheap check before the evaluation. */
  isPossible(offer: Offer): boolean
}

/** Merges two streams, each newest first. Vouchers are loaded batch by batch, and only when it is their turn. */
export function openCandidates(sources: CandidateSources): Candidates {
  const { configured, loadCodes, starting_after, lines, isPossible } = sources
  const evaluatedMax = Math.ceil(limits.qualification_lines_max / Math.max(1, lines))
  const codesMax = Math.min(limits.qualification_codes_max, evaluatedMax)
  const configuredMax = Math.min(limits.qualification_candidates_max, evaluatedMax)
  let place = starting_after === null ? 0 : firstBefore(configured, starting_after)
  let configuredExamined = 0
  const codes = {
    loaded: [] as Offer[],
    place: 0,
    before: starting_after === null ? null : voucherIdBound(starting_after),
    /** Vouchers not loaded yet are not newer than this. */
    horizon: null as Position | null,
    examined: 0,
    batch: firstBatch,
    is_over: false,
  }

  async function load(): Promise<void> {
    const found = await loadCodes(codes.before, codes.batch)
    codes.loaded = found.offers.filter(isPossible)
    codes.place = 0
    codes.examined += found.examined
    codes.batch = laterBatches
    codes.before = found.last?.id ?? null
    codes.horizon = found.last === null ? null : positionOf({ ...found.last, resource_id: found.last.id })
    codes.is_over = found.last === null
  }

  const candidates = {
    cut_at: null as Position | null,

    async next(count: number): Promise<Offer[]> {
      const offers: Offer[] = []
      while (offers.length < count && candidates.cut_at === null) {
        const offer = configured[place]
        while (codes.place === codes.loaded.length && !codes.is_over && !isNewer(offer, codes.horizon)) {
          if (codes.examined >= codesMax) {
            candidates.cut_at = codes.horizon
            return offers
          }
          await load()
        }
        const code = codes.loaded[codes.place]
        if (offer === undefined && code === undefined) break
        if (offer === undefined || (code !== undefined && newestFirst(code, offer) < 0)) {
          offers.push(code as Offer)
          codes.place += 1
        } else {
          place += 1
          configuredExamined += 1
          if (isPossible(offer)) offers.push(offer)
          if (configuredExamined >= configuredMax && place < configured.length) candidates.cut_at = positionOf(offer)
        }
      }
      return offers
    },
  }
  return candidates
}

/** Small: the first vouchers fill most pages. The later ones are read without a pause, so they are not many either. */
const firstBatch = 100
const laterBatches = 250

const isNewer = (offer: Offer | undefined, horizon: Position | null): boolean =>
  offer !== undefined && horizon !== null && positionOf(offer) > horizon

/** The index of the first offer older than a position. */
function firstBefore(offers: readonly Offer[], position: Position): number {
  let [from, to] = [0, offers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (positionOf(offers[middle] as Offer) < position) to = middle
    else from = middle + 1
  }
  return from
}

import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CodesFound } from './codes.ts'
import { newestFirst, type Offer } from './offers.ts'

/** Everything that may qualify, the newest first, as far as somebody asks for it. */
export interface Candidates {
  /** The next ones, at most so many; none: these were all. */
  next(count: number): Promise<Offer[]>
  /** Set once it has stopped at a bound: what is newer than this has all been there. */
  readonly cut_at: Instant | null
}

export interface CandidateSources {
  /** In memory, the newest first. */
  configured: readonly Offer[]
  /** The next codes: those made before an id, or the newest of all. */
  loadCodes(before: string | null, count: number): Promise<CodesFound>
  /** Where both begin. */
  starting_after: Instant | null
  /** The id below which codes begin. */
  first_before: string | null
  /** Whether it is worth to be judged: what can be said without any calculation. */
  isPossible(offer: Offer): boolean
}

/** Two streams, each the newest first, become one. Codes are loaded a batch at a time, and only once they are their turn. */
export function openCandidates(sources: CandidateSources): Candidates {
  const { configured, loadCodes, starting_after, first_before, isPossible } = sources
  let place = starting_after === null ? 0 : firstBefore(configured, starting_after)
  let lookedAt = 0
  const codes = {
    loaded: [] as Offer[],
    place: 0,
    before: first_before,
    /** Codes that are not loaded yet are not newer than this. */
    horizon: null as Instant | null,
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
    codes.horizon = found.last?.created_at ?? null
    codes.is_over = found.last === null
  }

  const candidates = {
    cut_at: null as Instant | null,

    async next(count: number): Promise<Offer[]> {
      const offers: Offer[] = []
      while (offers.length < count && candidates.cut_at === null) {
        const one = configured[place]
        while (codes.place === codes.loaded.length && !codes.is_over && !isNewer(one, codes.horizon)) {
          if (codes.examined >= limits.qualification_codes_max) {
            candidates.cut_at = codes.horizon
            return offers
          }
          await load()
        }
        const code = codes.loaded[codes.place]
        if (one === undefined && code === undefined) break
        if (one === undefined || (code !== undefined && newestFirst(code, one) < 0)) {
          offers.push(code as Offer)
          codes.place += 1
        } else {
          place += 1
          lookedAt += 1
          if (isPossible(one)) offers.push(one)
          if (lookedAt >= limits.qualification_candidates_max) candidates.cut_at = configured[place]?.created_at ?? null
        }
      }
      return offers
    },
  }
  return candidates
}

/** Most pages are filled by the first codes. */
const firstBatch = 100
const laterBatches = 1_000

const isNewer = (offer: Offer | undefined, horizon: Instant | null): boolean =>
  offer !== undefined && horizon !== null && offer.created_at > horizon

/** The place of the first that was created before a moment. */
function firstBefore(offers: readonly Offer[], moment: Instant): number {
  let [from, to] = [0, offers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((offers[middle] as Offer).created_at < moment) to = middle
    else from = middle + 1
  }
  return from
}

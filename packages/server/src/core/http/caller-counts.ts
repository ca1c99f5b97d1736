import type { Settings } from '../settings.ts'
import { type ClientCalls, newClientCalls } from './client-calls.ts'
import { type HeldPlaces, newHeldPlaces } from './held-places.ts'
import { newSuspects, type Suspects } from './suspects.ts'
import { newWrongCodes, type WrongCodes } from './wrong-codes.ts'

/**
 * What a node counts of its callers, in memory. A process that serves alone counts by itself and answers at once. Of several workers
 * their supervisor counts for all (command-line/workers/relay.ts), and the answers are promises: a caller whose connections reach
 * several workers has no more than one that reaches one. So arguments and results are plain JSON.
 */
export interface CallerCounts {
  calls: ClientCalls
  codes: WrongCodes
  suspects: Suspects
  sessions: HeldPlaces
}

type CallerLimits = Pick<
  Settings,
  'client_rate_limit' | 'wrong_codes_limit' | 'wrong_credentials_limit' | 'client_sessions_max'
>

export const newCallerCounts = (settings: CallerLimits): CallerCounts => ({
  calls: newClientCalls(settings.client_rate_limit),
  codes: newWrongCodes(settings.wrong_codes_limit),
  suspects: newSuspects(settings.wrong_credentials_limit),
  sessions: newHeldPlaces(settings.client_sessions_max),
})

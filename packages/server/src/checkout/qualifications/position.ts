import { counterIn, voucherIdAt } from '../../core/lib/ids.ts'
import { type Instant, parseInstant } from '../../core/lib/instant.ts'

/**
 * Where an offer stands among all, as a moment with more digits: those after the milliseconds order offers of one moment, as their ids
 * do. String order is the order of positions. A cursor that has to name a place within a moment is one.
 */
export type Position = string

export const positionOf = ({ created_at, resource_id }: { created_at: Instant; resource_id: string }): Position =>
  within(created_at, kindsOldestFirst.indexOf(resource_id.charAt(0)) + 1, counterIn(resource_id))

/** The position of a cursor; that of a moment is older than all offers of the moment. */
export const startOf = (cursor: Instant | Position): Position =>
  cursor.length > millisecondsEnd + 1 ? cursor : within(cursor, 0, 0)

/** The moment of a position. */
export const momentOf = (position: Position): Instant => `${position.slice(0, millisecondsEnd)}Z`

/** The next newer position. */
export const above = (position: Position): Position =>
  `${position.slice(0, millisecondsEnd)}${String(placeIn(position) + 1).padStart(placeDigits, '0')}Z`

/** What `starting_after` says, a moment or a position; null: neither. */
export function readPosition(sent: string): Position | null {
  if (positionForm.test(sent) && parseInstant(momentOf(sent)) === momentOf(sent)) return sent
  const moment = parseInstant(sent)
  return moment === null ? null : startOf(moment)
}

/** Ids of vouchers that are older than a position sort before this. */
export function voucherIdBound(position: Position): string {
  const at = Date.parse(momentOf(position))
  const [kind, counter] = [Math.floor(placeIn(position) / countersMax), placeIn(position) % countersMax]
  return voucherIdAt(at, kind < kindsOldestFirst.length ? 0 : counter)
}

/** The first letters of the ids: campaigns, tiers, stacks, vouchers. Of one moment, the newest are those with the greatest id. */
const kindsOldestFirst = 'cpsv'

const countersMax = 1_000_000_000
const placeDigits = 10
const millisecondsEnd = '2026-01-01T00:00:00.000'.length
const positionForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{13}Z$/

const placeIn = (position: Position): number => Number(position.slice(millisecondsEnd, -1))

const within = (moment: Instant, kind: number, counter: number): Position =>
  `${moment.slice(0, -1)}${String(kind * countersMax + counter).padStart(placeDigits, '0')}Z`

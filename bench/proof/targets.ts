import type { Group, Measured } from './results.ts'

/** A performance target, and its result in this run. */
export interface Target {
  name: string
  /** The minimum or maximum of the ratio to the compared case. */
  at_least?: number
  at_most?: number
  ratio: number
  is_met: boolean
}

/** Requests per second of a well-known open-source shop system on such a machine: a code on a cart of three lines, 8 connections. */
const peerPerSecond = 53

const validation = 'validation, 1 code, 3 lines'
const redemption = 'redemption, distinct codes'
const select = 'Fastify and one SELECT'
const byHand = 'Fastify and a redemption by hand'
const firstPage = 'list, first page'

/** The targets of one version of the service; those of the embedded database only if it was measured. */
export function targetsOf(measured: readonly Measured[], version: 'ours' | 'before' = 'ours'): Target[] {
  const find = (groups: readonly Group[], name: string, connections: number): Measured | undefined =>
    measured.find(
      (result) => result.name === name && result.connections === connections && groups.includes(result.group),
    )
  const of = (name: string, connections: number): Measured => {
    const found = find(['limits', version], name, connections)
    if (found === undefined) throw new Error(`${name} was not measured at ${connections}`)
    return found
  }
  const rate = (ours: string, limit: string, connections: number) =>
    of(ours, connections).per_second / of(limit, connections).per_second
  const rates = (least: Record<number, number>, name: string, ours: string, limit: string) =>
    Object.entries(least).map(([n, ratio]) => atLeast(ratio, `${name}, at ${n}`, rate(ours, limit, Number(n))))
  /** The latency at one connection as a multiple of a SELECT: the wanted milliseconds, on a machine where that takes 0.36 ms. */
  const embedded = (milliseconds: number, name: string) => {
    const found = version === 'ours' ? find(['embedded'], name, 1) : undefined
    if (found === undefined) return []
    const wanted = Number((milliseconds / selectMs).toFixed(1))
    return [atMost(wanted, `embedded, ${name} : one SELECT, p50 at 1`, found.p50_ms / of(select, 1).p50_ms)]
  }
  return [
    ...rates({ 1: 0.5, 8: 0.5, 32: 0.5 }, 'validation : one SELECT', validation, select),
    ...rates({ 1: 0.4, 8: 0.5, 32: 0.5 }, 'redemption of distinct codes : by hand', redemption, byHand),
    ...rates(
      { 1: 0.35, 8: 0.35, 32: 0.35 },
      'redemption of a hot code : distinct codes by hand',
      'redemption, one hot code',
      byHand,
    ),
    ...rates({ 8: 0.5 }, 'publication : redemption', 'publication', redemption),
    ...rates({ 8: 0.5 }, 'GET voucher : one SELECT', 'GET voucher', select),
    ...rates({ 8: 0.3 }, 'first page : one SELECT', firstPage, select),
    ...rates({ 8: 0.3 }, 'page from a cursor : one SELECT', 'list, from the middle', select),
    ...rates({ 8: 0.6 }, 'page 99 : first page', 'list, page 99', firstPage),
    ...embedded(1, validation),
    ...embedded(3, redemption),
    ...[1, 8, 32].map((n) =>
      atMost(
        10,
        `qualification among 1,000 : validation, p50 at ${n}`,
        of('qualification, 1000 tiers', n).p50_ms / of(validation, n).p50_ms,
      ),
    ),
    atLeast(
      20,
      'redemption : 53/s, what the faster of two well-known shop systems reached on such a machine, at 8',
      of(redemption, 8).per_second / peerPerSecond,
    ),
    ...measured
      .filter((result) => result.group === version && result.connections === 32)
      .map((result) => atMost(5, `p99 : p50 at 32, ${result.name}`, result.p99_ms / result.p50_ms)),
  ]
}

/** The p50 of "Fastify and one SELECT" at one connection when the targets in milliseconds were set. */
const selectMs = 0.36

const atLeast = (least: number, name: string, ratio: number): Target => ({
  name,
  at_least: least,
  ratio,
  is_met: ratio >= least,
})

const atMost = (most: number, name: string, ratio: number): Target => ({
  name,
  at_most: most,
  ratio,
  is_met: ratio <= most,
})

import type { Measured } from './results.ts'

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

export function targetsOf(measured: readonly Measured[]): Target[] {
  const of = (name: string, connections: number): Measured => {
    const found = measured.find(
      (result) => result.name === name && result.connections === connections && !isEmbedded(result),
    )
    if (found === undefined) throw new Error(`${name} was not measured at ${connections}`)
    return found
  }
  const rate = (ours: string, limit: string, connections: number) =>
    of(ours, connections).per_second / of(limit, connections).per_second
  const at = [1, 8, 32]
  return [
    ...at.map((n) => atLeast(0.5, `validation : one SELECT, at ${n}`, rate(validation, 'Fastify and one SELECT', n))),
    ...at.map((n) =>
      atLeast(
        0.5,
        `redemption of distinct codes : by hand, at ${n}`,
        rate('redemption, distinct codes', 'Fastify and a redemption by hand', n),
      ),
    ),
    ...at.map((n) =>
      atLeast(
        0.25,
        `redemption of a hot code : distinct codes by hand, at ${n}`,
        rate('redemption, one hot code', 'Fastify and a redemption by hand', n),
      ),
    ),
    ...at.map((n) =>
      atMost(
        10,
        `qualification among 1,000 : validation, p50 at ${n}`,
        of('qualification, 1000 tiers', n).p50_ms / of(validation, n).p50_ms,
      ),
    ),
    atLeast(
      20,
      'redemption : 53/s, what the faster of two well-known shop systems reached on such a machine, at 8',
      of('redemption, distinct codes', 8).per_second / peerPerSecond,
    ),
    ...measured
      .filter((result) => result.group === 'ours' && result.connections === 32)
      .map((result) => atMost(5, `p99 : p50 at 32, ${result.name}`, result.p99_ms / result.p50_ms)),
  ]
}

const isEmbedded = ({ group }: Measured): boolean => group === 'embedded'

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

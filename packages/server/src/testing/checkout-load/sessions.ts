import { between, type Chance, oneOf } from './chance.ts'
import { customerFor, useOf } from './choices.ts'
import type { Finding } from './findings.ts'
import type { Hold, Use } from './model.ts'
import { redeem } from './redeem.ts'
import { ask, redeemableOf } from './requests.ts'
import { nameOf, type Run } from './run.ts'
import { pause, query } from './shop.ts'

/** Opens a session that holds a redeemable, and then redeems, releases or replaces it, or lets it expire. */
export async function holdInSession(run: Run, chance: Chance): Promise<void> {
  const { goods, ledger } = run
  const key = nameOf(run, 'session')
  const hold = async (): Promise<{ uses: Use[]; customer: string; held: Hold | null }> => {
    const thing = oneOf(chance, goods.holdable)
    const customer = customerFor(run, chance, [thing])
    const uses = [useOf(chance, thing, customer)]
    const ttlMs = between(chance, 300, 1_500)
    const { reply, span } = await ask(run, chance, '/v1/validations', {
      redeemables: uses.map((use) => redeemableOf(use, goods)),
      customer: { source_id: customer },
      order: { amount: 100_000 },
      session: { type: 'LOCK', key, ttl: ttlMs, ttl_unit: 'MILLISECONDS' },
    })
    if (reply.body?.key === 'multiple_requests') return { uses, customer, held: null }
    if (reply.status !== 200) {
      ledger.violations.push(`an unexpected answer to a validation: ${reply.status} ${reply.text.slice(0, 500)}`)
      return { uses, customer, held: null }
    }
    if (!reply.body.valid) {
      const refused = reply.body.inapplicable_redeemables ?? reply.body.redeemables
      ledger.refusals.push({ uses, key: refused[0].result.error.key, span })
      return { uses, customer, held: null }
    }
    const held: Hold = { uses, span, ttl_ms: ttlMs, ended: null }
    ledger.holds.push(held)
    return { uses, customer, held }
  }
  let { uses, customer, held } = await hold()
  if (held === null) return
  if (chance() < 0.2) {
    const next = await hold()
    if (next.held === null) return // the session is unchanged and expires
    held.ended = next.held.span
    ;({ uses, customer } = next)
    held = next.held
  }
  if (chance() < 0.3) await pause(between(chance, 0, 400))
  const fate = chance()
  if (fate < 0.25) return
  if (fate < 0.5) {
    const path = `/v1/vouchers/${(uses[0] as Use).thing.id}/sessions/${key}`
    const { reply, span } = await ask(run, chance, path, undefined, 'DELETE')
    if (reply.status !== 204 && span.ended_at < held.span.started_at + held.ttl_ms && !run.is_disturbed)
      ledger.violations.push(`a session could not be released: ${reply.status} ${reply.text.slice(0, 300)}`)
    held.ended = span
    return
  }
  const order = { id: null, source_id: nameOf(run, 'order'), amount: 100_000 }
  const { checkout, span, refused } = await redeem(run, chance, { uses, customer, order, session: key })
  if (checkout !== null) held.ended = span
  else if (span.ended_at < held.span.started_at + held.ttl_ms)
    ledger.violations.push(
      `${uses[0]?.thing.id} was held and could not be redeemed: ${JSON.stringify({ ...held, asked: span })} ${refused}`,
    )
}

/** Checks that abandoned sessions have expired. */
export async function checkExpiredHolds({ shop, ledger }: Run): Promise<Finding> {
  const last = Math.max(0, ...ledger.holds.map(({ span, ttl_ms }) => span.ended_at + ttl_ms))
  await pause(Math.max(0, last - Date.now()) + 20)
  const held = await query(shop, 'select session_key from holds where project_id = $1 and expires_at > now()', [
    shop.project_id,
  ])
  const lookedFor = 'expired sessions that still hold something'
  return {
    looked_for: lookedFor,
    times: ledger.holds.length,
    violations: held.length === 0 ? [] : [`${lookedFor}: ${held.length}`],
  }
}

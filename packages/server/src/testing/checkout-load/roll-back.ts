import type { Chance } from './chance.ts'
import type { Checkout } from './model.ts'
import { ask } from './requests.ts'
import type { Run } from './run.ts'

/** Rolls back a random checkout, perhaps concurrently with another worker. */
export async function rollBack(run: Run, chance: Chance): Promise<void> {
  const { checkouts, violations, failed } = run.ledger
  if (checkouts.length === 0) return
  // Prefers recent checkouts: there are fewer of them, so workers collide more often.
  const checkout = checkouts[checkouts.length - 1 - Math.floor(checkouts.length * chance() ** 2)] as Checkout
  if (checkout.undone !== null && chance() < 0.8) return
  const [child] = checkout.children.length > 1 ? checkout.children : []
  if (child !== undefined && chance() < 0.05) {
    const { reply } = await ask(run, chance, `/v1/redemptions/${child.id}/rollback`, {})
    if (reply.body?.key !== 'invalid_redemption_parent')
      violations.push(`the rollback of a child was not refused: ${reply.status} ${reply.text.slice(0, 300)}`)
    return
  }
  const usesStackEndpoint = child !== undefined || chance() < 0.3
  const path = `/v1/redemptions/${checkout.id}/${usesStackEndpoint ? 'rollbacks' : 'rollback'}`
  const { reply, span } = await ask(run, chance, path, { reason: 'load' })
  const { status, body, text } = reply
  if (status === 200) {
    if (checkout.undone !== null) violations.push(`${checkout.id} was rolled back twice`)
    const [rollback] = usesStackEndpoint ? body.rollbacks : [body]
    const id = body.parent_rollback?.id ?? rollback.id
    const rollbacks = new Map<string, string>(
      (child === undefined ? [] : body.rollbacks).map((rollback: { id: string; redemption: string }) => [
        rollback.redemption,
        rollback.id,
      ]),
    )
    const children =
      child === undefined ? [] : checkout.children.map((redemption) => rollbacks.get(redemption.id) ?? 'none')
    if (children.includes('none') || children.length !== rollbacks.size)
      violations.push(`${checkout.id} was rolled back in part: ${text.slice(0, 500)}`)
    checkout.undone = { ...span, id, children }
  } else if (body?.key === 'already_rolled_back' && String(body.resource_id).startsWith('rrf_')) {
    failed.add(body.resource_id)
  } else if (body?.key !== 'multiple_requests')
    violations.push(`an unexpected answer to a rollback: ${status} ${text.slice(0, 500)}`)
}

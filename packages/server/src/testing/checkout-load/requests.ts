import { between, type Chance } from './chance.ts'
import type { Goods } from './goods.ts'
import type { Span, Use } from './model.ts'
import { nameOf, type Run } from './run.ts'
import { pause, type Reply } from './shop.ts'

/**
 * Sends a request and retries until it is answered. An unanswered request is sent to the next node with the same idempotency
 * key; sometimes the client closes the connection before the response arrives. So is one that was refused only because of
 * concurrent requests, if it has a key: such a refusal is not stored under it.
 */
export async function ask(
  run: Run,
  chance: Chance,
  path: string,
  body: unknown,
  method = 'POST',
): Promise<{ reply: Reply; span: Span }> {
  const { shop, ledger, is_disturbed } = run
  const key = method === 'POST' && (is_disturbed || chance() < 0.5) ? nameOf(run, 'key') : undefined
  const options = key === undefined ? {} : { key }
  const startedAt = Date.now()
  if (key !== undefined && chance() < 0.05)
    await shop.call(method, path, body, { key, patience_ms: between(chance, 1, 30) }).catch(() => {})
  for (;;) {
    const reply = await shop.call(method, path, body, options).catch((error: Error) => error)
    if (!(reply instanceof Error) && reply.status < 500 && !isUndecided(reply, key)) {
      const span = { started_at: startedAt, ended_at: Date.now() }
      ledger.requests += 1
      if (reply.is_replay) ledger.replayed += 1
      else if (reply.status === 200 && path !== '/v1/validations') ledger.acknowledged.push(span.ended_at)
      ledger.slowest_ms = Math.max(ledger.slowest_ms, span.ended_at - span.started_at)
      if (key !== undefined) ledger.kept.push({ path, body, key, status: reply.status, text: reply.text })
      return { reply, span }
    }
    if (!(reply instanceof Error) && reply.status < 500) {
      await pause(20)
      continue
    }
    ledger.unanswered += 1
    const lastAnswer = reply instanceof Error ? reply.message : `${reply.status} ${reply.text.slice(0, 300)}`
    if (!is_disturbed || (!(reply instanceof Error) && reply.status === 500))
      ledger.violations.push(`${method} ${path} was not answered: ${lastAnswer}`)
    if (Date.now() - startedAt > (is_disturbed ? 150_000 : 5_000))
      throw new Error(`${method} ${path}: no response: ${lastAnswer}`)
    await pause(100)
  }
}

const isUndecided = ({ body }: Reply, key: string | undefined): boolean =>
  body?.key === 'idempotency_key_in_progress' || (key !== undefined && body?.key === 'multiple_requests')

export const redeemableOf = ({ thing, credits }: Use, { reward_id }: Goods): object => ({
  object: thing.object,
  id: thing.id,
  ...(thing.kind === 'gift' ? { gift: { credits } } : {}),
  ...(thing.kind === 'card' ? { reward: { id: reward_id, points: credits } } : {}),
})

import type { Runtime } from '../../core/context.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { within } from '../../core/lib/within.ts'
import { bodyOf } from '../sendouts/body.ts'
import { type AttemptResult, newTargetClient } from '../target/client.ts'
import { type DueSendout, dropSendouts, listDueSendouts } from './due-sendouts.ts'
import { type HeldWebhook, isFresh, newHeldWebhooks } from './held-webhooks.ts'
import type { WaitingWebhook } from './leases.ts'
import { newPace } from './pace.ts'
import type { EndedAttempt } from './record-attempts.ts'
import { newRecorder } from './recorder.ts'
import { requestHeaders, signingTokens } from './request-headers.ts'
import { nextAttemptAt } from './schedule.ts'
import { isSlow } from './slots.ts'
import { giveUpWaiting, restartWaiting } from './waiting.ts'

/** Delivers send-outs in this process. */
export interface Delivery {
  /** Takes webhooks that have something due, reads it and starts attempts, which go on after it returns. */
  look(): Promise<boolean>
  /** Waits a moment for running attempts, aborts the rest, records what ended and gives the webhooks to other nodes. */
  stop(): Promise<void>
}

/** Attempts that can start are started together, this often: one by one, between checkouts, each would cost more. */
const paceMs = 10
/** Webhooks of which one look changes what waits: each takes a statement. */
const changedMax = 20
/** How long a stopping node waits for running attempts. */
const stopGraceMs = 5_000

/**
 * One node delivers to a webhook at a time: the one that holds its lease. That keeps the limit of attempts at once over all nodes, and
 * no send-out needs a claim of its own (docs/decisions/0047-webhook-delivery.md).
 */
export function newDelivery(runtime: Runtime): Delivery {
  const { settings, log, webhook_attempts: tally } = runtime
  const { db } = runtime.database
  const timeoutMs = settings.webhook_timeout_ms
  const client = newTargetClient({ timeout_ms: timeoutMs, allow_private: settings.webhook_allow_private_targets })
  const held = newHeldWebhooks(db, timeoutMs)
  const recorder = newRecorder(runtime, { onRecorded: held.letGo, onSwitchedOff: held.dropQueue })
  const pace = newPace()
  const running = new Set<Promise<void>>()
  let isStopping = false
  /** Running attempts are cut short. */
  let isAborting = false
  /** Whether the last look left fast webhooks, or others, for want of slots. */
  let isCut = { fast: false, slow: false }
  let startTimer: NodeJS.Timeout | undefined

  async function look(): Promise<boolean> {
    if (isStopping || tally.in_flight >= limits.node_attempts_max) return false
    const now = toInstant(runtime.now())
    const { due, closed, restarting, is_cut } = await held.take(now)
    isCut = is_cut
    await readDue(due, now)
    startAttempts()
    const hasMore = await changeWaiting(closed, giveUpWaiting)
    return (await changeWaiting(restarting, restartWaiting)) || hasMore
  }

  /** Reads for as many webhooks as can start an attempt now: what waits for a slot stays in the database. */
  async function readDue(due: readonly HeldWebhook[], now: Instant): Promise<void> {
    const at = performance.now()
    const chosen = chooseReads(due, at)
    const bytesMax = limits.sendouts_read_bytes_max - held.queuedBytes()
    if (chosen.length === 0 || bytesMax <= 0) return
    const read = await listDueSendouts(
      db,
      chosen.map(({ each, rows_max }) => ({ webhook: each.webhook, rows_max })),
      { now, except: held.inHand(), bytes_max: bytesMax },
    )
    const orphaned = read.filter(hasNoEvent)
    if (orphaned.length > 0) await dropSendouts(db, orphaned, runtime.now())
    const isCut = read.reduce((size, { bytes }) => size + bytes, 0) >= bytesMax
    const byWebhook = Map.groupBy(read, ({ webhook_id }) => webhook_id)
    for (const { each, rows_max } of chosen) {
      const rows = byWebhook.get(each.webhook.webhook_id) ?? []
      const hasMore = isCut || rows.length >= rows_max
      held.queue(each, { rows: rows.filter((row) => !hasNoEvent(row)), at, has_more: hasMore })
    }
  }

  /** One that answers fast will soon start more than it can now; of the others only what starts now is read. */
  function chooseReads(due: readonly HeldWebhook[], now: number): Array<{ each: HeldWebhook; rows_max: number }> {
    if (isStopping) return []
    const slots = held.freeSlots(now)
    const unfilled = due.filter((each) => each.queue.length === 0 && held.coversAttempt(each, now))
    const rows = new Map<HeldWebhook, number>()
    inTurn(unfilled, (each) => {
      if (!slots.take(each)) return false
      rows.set(each, (rows.get(each) ?? 0) + 1)
      return true
    })
    for (const each of unfilled) if (!rows.has(each)) isCut[isSlow(each, now) ? 'slow' : 'fast'] = true
    return [...rows].map(([each, startable]) => ({
      each,
      rows_max: isSlow(each, now) ? startable : limits.sendouts_read_at_once,
    }))
  }

  /** Gives up a batch of what waits for each webhook, or makes it due anew. Returns whether to look again at once. */
  async function changeWaiting(webhooks: readonly WaitingWebhook[], change: typeof giveUpWaiting): Promise<boolean> {
    let hasMore = webhooks.length > changedMax
    for (const webhook of webhooks.slice(0, changedMax)) {
      held.dropQueue(webhook.webhook_id)
      hasMore = (await change(db, webhook)) || hasMore
    }
    return hasMore
  }

  /** Starts one attempt per webhook in turn, until nothing more can start. */
  function startAttempts(): void {
    if (isStopping) return
    const now = performance.now()
    const slots = held.freeSlots(now)
    const ready = held.queued().filter((each) => isFresh(each, now) && held.coversAttempt(each, now))
    inTurn(ready, (each) => {
      if (each.queue.length === 0 || !slots.take(each)) return false
      if (!pace.take(now)) {
        startLater()
        return 'stop'
      }
      const attempted = attempt(each, held.next(each))
      running.add(attempted)
      void attempted.finally(() => running.delete(attempted))
      return true
    })
  }

  function startLater(): void {
    startTimer ??= setTimeout(() => {
      startTimer = undefined
      startAttempts()
    }, paceMs)
  }

  async function attempt(each: HeldWebhook, sendout: DueSendout): Promise<void> {
    const { webhook } = each
    const slot = { started: performance.now() }
    held.begin(each, slot)
    tally.in_flight += 1
    const began = runtime.now()
    const result = await post(webhook, sendout, began)
    held.end(each, slot)
    tally.in_flight -= 1
    if (isAborting) {
      held.letGo(sendout.id) // cut short by us: another node makes the attempt anew
      return
    }
    const succeeded = result.error === null
    tally[succeeded ? 'succeeded' : 'failed'] += 1
    held.learn(each, { succeeded, duration_ms: result.duration_ms })
    recorder.add(endedAttempt(sendout, webhook.target_url, toInstant(began), result))
    startLater()
    const ended = performance.now()
    const mayReadMore = !isFresh(each, ended) || (each.queue.length === 0 && each.has_more)
    if (mayReadMore || isCut[isSlow(each, ended) ? 'slow' : 'fast']) runtime.jobs.wake('webhooks')
  }

  /** Never rejects. An error here is a fault of ours: it fails the attempt, and must not keep its slot or end the process. */
  async function post(webhook: WaitingWebhook, sendout: DueSendout, began: number): Promise<AttemptResult> {
    const started = performance.now()
    try {
      const body = Buffer.from(sendout.body ?? bodyOf(bodyPartsOf(sendout)))
      const headers = requestHeaders(sendout, body, signingTokens(webhook, began), began)
      return await client.post(webhook.target_url, headers, body)
    } catch (error) {
      log.error({ err: error, sendout_id: sendout.id }, 'could not make an attempt to deliver to a webhook')
      const duration = Math.round(performance.now() - started)
      return { status_code: null, duration_ms: duration, error: 'the request could not be made', response_body: null }
    }
  }

  return {
    look,
    async stop() {
      isStopping = true
      clearTimeout(startTimer)
      await within(stopGraceMs, Promise.all(running)).catch(() => {}) // what still runs is aborted
      isAborting = true
      await client.close()
      await Promise.all(running)
      await recorder.close()
      await held.release().catch(() => {}) // the leases end by themselves
    },
  }
}

const hasNoEvent = ({ body, data }: DueSendout): boolean => body === null && data === null

/** Calls `step` for each in turn, again and again for those where it did something, until none is left or one says stop. */
function inTurn<T>(all: readonly T[], step: (each: T) => boolean | 'stop'): void {
  for (let turn = all; turn.length > 0; ) {
    const next: T[] = []
    for (const each of turn) {
      const done = step(each)
      if (done === 'stop') return
      if (done) next.push(each)
    }
    turn = next
  }
}

const bodyPartsOf = (sendout: DueSendout) => ({
  ...sendout,
  data: sendout.data as string,
  event: {
    id: sendout.event_id,
    type: sendout.type,
    created_at: sendout.event_created_at,
    entity_id: sendout.entity_id,
    group_id: sendout.group_id,
    event_source: sendout.event_source,
  },
})

function endedAttempt(sendout: DueSendout, targetUrl: string, at: Instant, result: AttemptResult): EndedAttempt {
  const { project_id, id, webhook_id, is_manual, activation, first_attempt_at } = sendout
  const succeeded = result.error === null
  return {
    project_id,
    id,
    webhook_id,
    target_url: targetUrl,
    attempt: { at, ...result },
    succeeded,
    is_manual,
    activation,
    is_first: first_attempt_at === null && !is_manual,
    next_attempt_at: succeeded ? null : nextAttemptAt(first_attempt_at ?? at, at),
  }
}

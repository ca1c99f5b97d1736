import { randomUUID } from 'node:crypto'
import type { Runtime } from '../../core/context.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { bodyOf } from '../sendouts/body.ts'
import { newTargetClient } from '../target/client.ts'
import { newFailureNotifier, recordLastFailure } from './notify.ts'
import { requestHeaders, signingTokens } from './request-headers.ts'
import { nextAttemptAt } from './schedule.ts'
import { isSlow, mayStart, type SlotUser, slowMs } from './slots.ts'
import {
  type DueSendout,
  dropSendouts,
  type EndedAttempt,
  giveUpWaiting,
  listDueSendouts,
  recordAttempts,
  releaseWebhooks,
  takeWebhooks,
  type WaitingWebhook,
} from './store.ts'

/** Delivers send-outs in this process. */
export interface Delivery {
  /** Takes webhooks that have something due, reads it and starts attempts, which go on after it returns. */
  look(): Promise<boolean>
  /** Waits a moment for running attempts, aborts the rest, records what ended and gives the webhooks to other nodes. */
  stop(): Promise<void>
}

/** A webhook whose lease this node holds. */
interface Held extends SlotUser {
  webhook: WaitingWebhook
  running: Set<{ started: number }>
  /** When the lease ends, by `performance.now()`: counted from before the statement that took it, so never later than in the database. */
  lease_ends: number
  /** Read, not started yet. */
  queue: DueSendout[]
  read_at: number
  /** Whether there is more than was read. */
  has_more: boolean
}

/** A lease covers an attempt and this time; after a kill -9 another node takes over when it ends. */
const leaseMarginMs = 20_000
/** It is renewed when it is older than this. */
const renewAfterMs = 5_000
/** An attempt starts only if the lease covers its timeout and this time, for what the attempt does besides waiting. */
const startMarginMs = 3_000
/** What was read longer ago is read again: its webhook may have been changed or deleted, or its event erased. */
const freshMs = 1_000
/** Attempts end one by one; those of this time are recorded together. */
const recordWaitMs = 30
const recordAtOnce = 100
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
  const leaseMs = timeoutMs + leaseMarginMs
  const client = newTargetClient({ timeout_ms: timeoutMs, allow_private: settings.webhook_allow_private_targets })
  const node = randomUUID()
  const held = new Map<string, Held>()
  /** Ids of send-outs that are queued, attempted or waiting to be recorded. */
  const inHand = new Set<string>()
  const stopping = new AbortController()
  let isStopping = false
  const running = new Set<Promise<void>>()
  let ended: EndedAttempt[] = []
  let recordTimer: NodeJS.Timeout | undefined
  let recording: Promise<void> = Promise.resolve()
  let isFailing = false
  const notifyOfFailures = newFailureNotifier(runtime)
  const wake = () => runtime.jobs.wake('webhooks')

  async function look(): Promise<boolean> {
    const asked = performance.now()
    if (isStopping || tally.in_flight >= limits.node_attempts_max) return false
    const now = toInstant(runtime.now())
    const waiting = await takeWebhooks(db, {
      now,
      node,
      lease_ms: leaseMs,
      renew_below_ms: leaseMs - renewAfterMs,
      only: onlyFast(asked),
    })
    const leased = waiting.flatMap((webhook) => (webhook.is_leased ? (hold(webhook, asked) ?? []) : []))
    dropStale()
    await readDue(leased, now)
    startAttempts()
    let hasMore = false
    for (const webhook of waiting)
      if (webhook.is_closed) {
        forget(webhook.webhook_id)
        hasMore = (await giveUpWaiting(db, webhook)) || hasMore
      }
    return hasMore
  }

  /** While slow webhooks use their whole share, this node takes only those that answer fast; others are for other nodes. */
  function onlyFast(now: number): string[] | null {
    let slow = 0
    for (const each of held.values()) if (isSlow(each, now)) slow += each.running.size
    if (slow < limits.slow_attempts_max) return null
    return [...held.values()].flatMap((each) => (isSlow(each, now) ? [] : [each.webhook.webhook_id]))
  }

  function hold(webhook: WaitingWebhook, asked: number): Held | null {
    const known = held.get(webhook.webhook_id)
    if (known !== undefined) {
      known.webhook = webhook
      if (webhook.is_renewed) known.lease_ends = asked + leaseMs
      return known
    }
    if (!webhook.is_renewed) return null // until the statement renews it, nobody here knows when it ends
    const fresh: Held = {
      webhook,
      running: new Set(),
      answers_fast: false,
      lease_ends: asked + leaseMs,
      queue: [],
      read_at: 0,
      has_more: false,
    }
    held.set(webhook.webhook_id, fresh)
    return fresh
  }

  /** Drops what was read for a webhook, not what is running. */
  function forget(webhookId: string): void {
    for (const { id } of held.get(webhookId)?.queue.splice(0) ?? []) inHand.delete(id)
  }

  function dropStale(): void {
    const now = performance.now()
    for (const [webhookId, each] of held) {
      const isOver = each.lease_ends < now && each.running.size === 0
      if (isOver || !isFresh(each, now)) forget(webhookId)
      if (isOver) held.delete(webhookId)
    }
  }

  async function readDue(leased: readonly Held[], now: Instant): Promise<void> {
    const asked = performance.now()
    const hungry = leased.filter((each) => each.queue.length === 0 && canStart(each, asked))
    if (hungry.length === 0) return
    const due = await listDueSendouts(
      db,
      hungry.map(({ webhook }) => webhook),
      { now, except: [...inHand], rows_max: limits.sendouts_read_at_once },
    )
    const isErased = ({ body, data }: DueSendout) => body === null && data === null
    const erased = due.filter(isErased)
    if (erased.length > 0) await dropSendouts(db, erased)
    const byWebhook = Map.groupBy(due, ({ webhook_id }) => webhook_id)
    for (const each of hungry) {
      const rows = byWebhook.get(each.webhook.webhook_id) ?? []
      each.queue = rows.filter((row) => !isErased(row))
      each.read_at = asked
      each.has_more = mayHaveMore(rows)
      for (const { id } of each.queue) inHand.add(id)
    }
  }

  const canStart = (each: Held, now: number): boolean =>
    !isStopping && each.lease_ends - now > timeoutMs + startMarginMs && mayStart(each, held.values(), now)

  /** Starts one attempt per webhook in turn, until nothing more can start. */
  function startAttempts(): void {
    const now = performance.now()
    for (let started = true; started; ) {
      started = false
      for (const each of held.values())
        if (each.queue.length > 0 && isFresh(each, now) && canStart(each, now)) {
          const attempted = attempt(each, each.queue.shift() as DueSendout)
          running.add(attempted)
          void attempted.finally(() => running.delete(attempted))
          started = true
        }
    }
  }

  async function attempt(each: Held, sendout: DueSendout): Promise<void> {
    const { webhook } = each
    const slot = { started: performance.now() }
    each.running.add(slot)
    tally.in_flight += 1
    const began = runtime.now()
    const body = Buffer.from(sendout.body ?? bodyOf(bodyPartsOf(sendout)))
    const headers = requestHeaders(sendout, body, signingTokens(webhook, began), began)
    const result = await client.post(webhook.target_url, headers, body, stopping.signal)
    each.running.delete(slot)
    tally.in_flight -= 1
    if (stopping.signal.aborted) {
      inHand.delete(sendout.id) // cut short by us: another node makes the attempt anew
      return
    }
    const succeeded = result.error === null
    tally[succeeded ? 'succeeded' : 'failed'] += 1
    each.answers_fast = succeeded && result.duration_ms <= slowMs
    const at = toInstant(began)
    ended.push({
      project_id: sendout.project_id,
      id: sendout.id,
      webhook_id: sendout.webhook_id,
      target_url: webhook.target_url,
      attempt: { at, ...result },
      succeeded,
      is_manual: sendout.is_manual,
      is_first: sendout.first_attempt_at === null && !sendout.is_manual,
      next_attempt_at: succeeded ? null : nextAttemptAt(sendout.first_attempt_at ?? at, at),
    })
    recordSoon(sendout.is_manual)
    startAttempts()
    if (!isFresh(each, performance.now()) || (each.queue.length === 0 && each.has_more)) wake()
  }

  /** Somebody waits for a manual attempt. */
  function recordSoon(isAwaited: boolean): void {
    if (isAwaited || ended.length >= recordAtOnce) record()
    else recordTimer ??= setTimeout(record, recordWaitMs)
  }

  function record(): void {
    clearTimeout(recordTimer)
    recordTimer = undefined
    recording = recording.then(recordEnded)
  }

  async function recordEnded(): Promise<void> {
    const batch = ended
    ended = []
    if (batch.length === 0) return
    try {
      await recordBatch(batch)
      isFailing = false
    } catch (error) {
      // Kept and written later. If this node dies before, they are sent a second time.
      ended = [...batch.filter(({ id }) => inHand.has(id)), ...ended]
      if (!isFailing) log.warn({ err: error }, 'could not record deliveries to webhooks')
      isFailing = true
      if (!isStopping) recordTimer ??= setTimeout(record, 1_000)
    }
  }

  async function recordBatch(batch: readonly EndedAttempt[]): Promise<void> {
    const last = batch.filter(isLastFailure)
    const others = batch.filter((each) => !isLastFailure(each))
    if (others.length > 0) await recordAttempts(db, others)
    for (const { id } of others) inHand.delete(id)
    for (const each of last) {
      if (await recordLastFailure(runtime, each)) forget(each.webhook_id)
      inHand.delete(each.id)
    }
    // Never at the price of what was recorded: it would be recorded again.
    await notifyOfFailures(others.filter(({ is_first, succeeded }) => is_first && !succeeded)).catch((error: unknown) =>
      log.warn({ err: error }, 'could not notify of failed deliveries to webhooks'),
    )
  }

  return {
    look,
    async stop() {
      isStopping = true
      let grace: NodeJS.Timeout | undefined
      await Promise.race([
        Promise.all(running),
        new Promise((resolve) => {
          grace = setTimeout(resolve, stopGraceMs)
        }),
      ])
      clearTimeout(grace)
      stopping.abort()
      await Promise.all(running)
      record()
      await recording
      await client.close()
      await releaseWebhooks(db, node, [...held.keys()]).catch(() => {}) // the leases end by themselves
    },
  }
}

/** Whether no retry follows. */
const isLastFailure = ({ succeeded, is_manual, next_attempt_at }: EndedAttempt): boolean =>
  !succeeded && !is_manual && next_attempt_at === null

const isFresh = ({ read_at }: Held, now: number): boolean => now - read_at <= freshMs

/** Whether a read was cut off, by the number of rows or by their size. */
const mayHaveMore = (rows: readonly DueSendout[]): boolean =>
  rows.length >= limits.sendouts_read_at_once ||
  rows.reduce((length, { data, body }) => length + (data ?? body ?? '').length, 0) > limits.sendouts_read_bytes_max / 4

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

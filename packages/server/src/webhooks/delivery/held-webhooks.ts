import { randomUUID } from 'node:crypto'
import type { Db } from '../../core/db/database.ts'
import { isDistributed } from '../../core/db/is-distributed.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { DueSendout } from './due-sendouts.ts'
import {
  releaseWebhooks,
  takeWebhooks,
  takeWebhooksOfEachProject,
  type WaitingWebhook,
  type WebhookKey,
} from './leases.ts'
import { type FreeSlots, freeSlots, isSlow, type SlotUser } from './slots.ts'

/** How a webhook answered, and when it had its turn. It is remembered when the lease has ended. */
interface Experience {
  answers_fast: boolean
  is_untried: boolean
  /** Failures since the last success. */
  failures: number
  /** When its last attempt began, by `performance.now()`. */
  served_at: number
}

/** A webhook whose lease this node holds. */
export interface HeldWebhook extends SlotUser, Experience {
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

export interface Taken {
  /** The held webhooks that have something due, those served longest ago first. */
  due: HeldWebhook[]
  /** Those of which something is given up. */
  closed: WaitingWebhook[]
  /** Those that were switched on, for which something is still to be made due. */
  restarting: WaitingWebhook[]
  /** Whether more fast webhooks, or others, may have something due than there were free slots. */
  is_cut: { fast: boolean; slow: boolean }
}

/** The webhooks that this node delivers to, and the send-outs that it has in hand: queued, attempted or waiting to be recorded. */
export interface HeldWebhooks {
  /** Takes and renews leases, as many as there are free slots. */
  take(now: Instant): Promise<Taken>
  /** Those that have something queued, those served longest ago first. */
  queued(): HeldWebhook[]
  freeSlots(now: number): FreeSlots
  /** Whether the lease covers one more attempt. */
  coversAttempt(held: HeldWebhook, now: number): boolean
  begin(held: HeldWebhook, slot: { started: number }): void
  end(held: HeldWebhook, slot: { started: number }): void
  /** Learns from an attempt that has ended. */
  learn(held: HeldWebhook, result: { succeeded: boolean; duration_ms: number }): void
  /** The size of what is queued, of all webhooks. */
  queuedBytes(): number
  /** Takes the first send-out out of the queue; it stays in hand. */
  next(held: HeldWebhook): DueSendout
  /** Queues send-outs that were read at a moment (`performance.now()`). */
  queue(held: HeldWebhook, read: { rows: DueSendout[]; at: number; has_more: boolean }): void
  /** The ids of the send-outs in hand. */
  inHand(): string[]
  /** A send-out is not in hand any longer. */
  letGo(sendoutId: string): void
  /** Drops what is queued for a webhook, not what is running. */
  dropQueue(webhookId: string): void
  /** Ends all leases, so that other nodes need not wait for their end. */
  release(): Promise<void>
}

/** A lease covers an attempt and this time; after a kill -9 another node takes over when it ends. */
const leaseMarginMs = 20_000
/** It is renewed when it is older than this. */
const renewAfterMs = 5_000
/** An attempt starts only if the lease covers its timeout and this time, for what the attempt does besides waiting. */
const startMarginMs = 3_000
/** What was read longer ago is read again: its webhook may have been changed or deleted, or its event erased. */
const freshMs = 1_000

/** Before all webhooks. */
const start: WebhookKey = { project_id: '', webhook_id: '' }

const unknown: Experience = {
  answers_fast: false,
  is_untried: true,
  failures: 0,
  served_at: Number.NEGATIVE_INFINITY,
}

const servedLongestAgo = (one: HeldWebhook, other: HeldWebhook): number =>
  one.served_at === other.served_at ? 0 : one.served_at - other.served_at

export const isFresh = ({ read_at }: HeldWebhook, now: number): boolean => now - read_at <= freshMs

export function newHeldWebhooks(db: Db, timeoutMs: number): HeldWebhooks {
  const node = randomUUID()
  const leaseMs = timeoutMs + leaseMarginMs
  const held = new Map<string, HeldWebhook>()
  const inHand = new Set<string>()
  /** Those with attempts, and those with a queue: few, however many are held. */
  const running = new Set<HeldWebhook>()
  const queued = new Set<HeldWebhook>()
  let queuedBytes = 0
  const remembered = new Map<string, Experience>()
  /** Where the next look goes on. */
  let after = start

  async function take(now: Instant): Promise<Taken> {
    const asked = performance.now()
    const { fast, slow, tried } = freeSlots(running, asked).left()
    const take = (await isDistributed(db)) ? takeWebhooksOfEachProject : takeWebhooks
    const { webhooks, walked } = await take(db, {
      now,
      node,
      lease_ms: leaseMs,
      renew_below_ms: leaseMs - renewAfterMs,
      after,
      fast: fastWebhooks(asked),
      fast_max: fast,
      slow_max: slow,
      except: tried > 0 ? [] : triedSlow(),
    })
    after = walked ?? start
    const due = webhooks
      .flatMap((webhook) => (webhook.is_leased ? (hold(webhook, asked) ?? []) : []))
      .sort(servedLongestAgo)
    dropStale()
    const renewed = (isFast: boolean) =>
      webhooks.filter(({ is_renewed, is_fast }) => is_renewed && is_fast === isFast).length
    return {
      due,
      closed: webhooks.filter(({ is_closed }) => is_closed),
      restarting: webhooks.filter(({ is_restarting }) => is_restarting),
      is_cut: { fast: renewed(true) >= fast, slow: renewed(false) >= slow },
    }
  }

  function fastWebhooks(now: number): WebhookKey[] {
    return [...held.values()].flatMap((each) => (isSlow(each, now) ? [] : [each.webhook]))
  }

  /** They could not start now: their leases are for other nodes. */
  function triedSlow(): string[] {
    const isTriedSlow = ({ answers_fast, is_untried }: Experience) => !answers_fast && !is_untried
    return [...held, ...remembered].flatMap(([webhookId, each]) => (isTriedSlow(each) ? [webhookId] : []))
  }

  function hold(webhook: WaitingWebhook, asked: number): HeldWebhook | null {
    const known = held.get(webhook.webhook_id)
    if (known !== undefined) {
      known.webhook = webhook
      if (webhook.is_renewed) known.lease_ends = asked + leaseMs
      return known
    }
    if (!webhook.is_renewed) return null // until the statement renews it, nobody here knows when it ends
    const fresh: HeldWebhook = {
      webhook,
      running: new Set(),
      ...(remembered.get(webhook.webhook_id) ?? unknown),
      lease_ends: asked + leaseMs,
      queue: [],
      read_at: 0,
      has_more: false,
    }
    held.set(webhook.webhook_id, fresh)
    remembered.delete(webhook.webhook_id)
    return fresh
  }

  function dropStale(): void {
    const now = performance.now()
    for (const [webhookId, each] of held) {
      const isOver = each.lease_ends < now && each.running.size === 0
      if (isOver || !isFresh(each, now)) dropQueue(webhookId)
      if (isOver) {
        held.delete(webhookId)
        remember(webhookId, each)
      }
    }
  }

  function remember(webhookId: string, { answers_fast, is_untried, failures, served_at }: HeldWebhook): void {
    if (is_untried) return
    remembered.set(webhookId, { answers_fast, is_untried, failures, served_at })
    if (remembered.size <= limits.webhooks_remembered_max) return
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      return
    }
  }

  function dropQueue(webhookId: string): void {
    const each = held.get(webhookId)
    if (each !== undefined) replaceQueue(each, [])
  }

  function replaceQueue(each: HeldWebhook, rows: DueSendout[]): void {
    for (const { id, bytes } of each.queue) {
      inHand.delete(id)
      queuedBytes -= bytes
    }
    each.queue = rows
    for (const { id, bytes } of rows) {
      inHand.add(id)
      queuedBytes += bytes
    }
    if (rows.length > 0) queued.add(each)
    else queued.delete(each)
  }

  return {
    take,
    queued: () => [...queued].sort(servedLongestAgo),
    freeSlots: (now) => freeSlots(running, now),
    coversAttempt: (each, now) => each.lease_ends - now > timeoutMs + startMarginMs,
    begin(each, slot) {
      each.running.add(slot)
      each.served_at = slot.started
      running.add(each)
    },
    end(each, slot) {
      each.running.delete(slot)
      if (each.running.size === 0) running.delete(each)
    },
    learn(each, { succeeded, duration_ms }) {
      each.is_untried = false
      each.failures = succeeded ? 0 : each.failures + 1
      // One failure that came fast may be a passing one, and held no slot for long.
      const isQuick = duration_ms <= limits.slow_attempt_ms
      each.answers_fast = isQuick && (succeeded || (each.answers_fast && each.failures === 1))
    },
    queuedBytes: () => queuedBytes,
    next(each) {
      const sendout = each.queue.shift() as DueSendout
      queuedBytes -= sendout.bytes
      if (each.queue.length === 0) queued.delete(each)
      return sendout
    },
    queue(each, { rows, at, has_more }) {
      replaceQueue(each, rows)
      each.read_at = at
      each.has_more = has_more
    },
    inHand: () => [...inHand],
    letGo: (sendoutId) => void inHand.delete(sendoutId),
    dropQueue,
    release: () => releaseWebhooks(db, node, [...held.keys()]),
  }
}

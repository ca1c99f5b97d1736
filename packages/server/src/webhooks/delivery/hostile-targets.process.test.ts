import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Shop, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import type { Behaviour } from '../../testing/webhook-behaviours.ts'
import { type ReceivedRequest, startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts'
import { newWebhook, newWebhookShop, openDeliveringService, sendoutsOf, stoppedClock } from '../../testing/webhooks.ts'
import { retryOffsets } from './schedule.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** What a target does, and what the log shows of each attempt. */
interface Row {
  behaviour: Behaviour
  /** Instead of http. */
  port?: keyof WebhookReceiver['ports'] | 'nobody'
  /** After this many attempts the target begins to answer 200. */
  recovers_after?: number
  attempt: { status_code: number | null; error: string | null; response_body: unknown }
}

const row = (
  behaviour: Behaviour,
  statusCode: number | null,
  error: string | null,
  responseBody: unknown,
  more: Partial<Row> = {},
): Row => ({ behaviour, attempt: { status_code: statusCode, error, response_body: responseBody }, ...more })

const closed = 'the connection was closed before a response'
const notHttp = 'the response is not valid HTTP'
const late = 'no response within 1 s'
const certificate = (why: string) => `the certificate is not valid: ${why}`
const thanks = { status_code: 200, error: null, response_body: 'thank you' }

interface Group {
  env: Record<string, string>
  rows: Row[]
  /** When the clock is moved, in minutes from the first attempt: to each retry, or at once to the last, which stands for those missed. */
  offsets: typeof retryOffsets | readonly [1_440]
}

const groups: Record<string, Group> = {
  'a target that answers or fails at once': {
    env: { WEBHOOK_TIMEOUT_MS: '600000' }, // no attempt ends by it, also on a busy machine
    offsets: retryOffsets,
    rows: [
      row('ok', 200, null, 'thank you'),
      row('no_content', 204, null, null),
      row('close_in_body', 200, null, 'thank'),
      row('endless', 200, null, 'endless '.repeat(1_280)),
      row('megabyte', 200, null, 'm'.repeat(10_240)),
      row('zeros', 200, null, 'a\uFFFDb'),
      row('500', 500, 'the target answered 500', 'status 500'),
      row('404', 404, 'the target answered 404', 'status 404'),
      row('410', 410, 'the target answered 410', 'status 410'),
      row('redirect', 302, 'the target redirects (302)', 'moved'),
      row('redirect_to_private', 307, 'the target redirects (307)', 'moved'),
      row('redirect_for_ever', 308, 'the target redirects (308)', 'moved'),
      row('upgrade', null, 'the target switches the protocol', null),
      row('close', null, closed, null),
      row('reset', null, closed, null),
      row('close_in_headers', null, closed, null),
      row('close_in_bad_body', 500, 'the target answered 500', 'sorry'),
      row('garbage', null, notHttp, null),
      row('endless_headers', null, 'the headers of the response are too large', null),
      row('endless_information', null, 'the target sends too many interim responses', null),
      row('ok', null, certificate('certificate has expired'), null, { port: 'expired' }),
      row('ok', null, certificate('self-signed certificate'), null, { port: 'self_signed' }),
      row('ok', null, certificate('unable to verify the first certificate'), null, { port: 'https' }),
      row('ok', null, 'the connection was refused', null, { port: 'nobody' }),
      row('503', 503, 'the target answered 503', 'status 503', { recovers_after: 5 }),
      row('reset', null, closed, null, { recovers_after: 12 }),
    ],
  },
  'a target that does not answer in time': {
    env: { WEBHOOK_TIMEOUT_MS: '1000' }, // requests must arrive in time on a busy machine too
    offsets: retryOffsets,
    rows: [
      row('hang', null, late, null),
      row('slow_headers', null, late, null),
      row('ok', null, late, null, { port: 'silent' }),
    ],
  },
  // Its headers must arrive in time on a busy machine too: two attempts of 3 s instead of thirteen.
  'a target that sends its body byte by byte': {
    env: { WEBHOOK_TIMEOUT_MS: '3000' },
    offsets: [1_440],
    rows: [
      row('slow_body', 200, null, expect.stringMatching(/^a+$/)),
      row('slow_bad_body', 500, 'the target answered 500', expect.stringMatching(/^a+$/)),
    ],
  },
  'a target that has become private': {
    env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' },
    offsets: retryOffsets,
    rows: [row('ok', null, 'the address 127.0.0.1 is loopback', null)],
  },
}

const first = '2026-01-01T00:00:00.000Z'
const afterMinutes = (minutes: number) => new Date(Date.parse(first) + minutes * 60_000).toISOString()

/** Everything that a row led to. */
interface Chain {
  row: Row
  path: string
  webhook: Body
  /** The send-out after each step of the clock. */
  steps: Array<{ status: string; attempts: number; next_attempt_at: string | null }>
  /** When the whole schedule is over. */
  sendout: Body
  /** Of an event before the last retry. */
  later: Body
  webhook_after: Body
  notifications: Body[]
  /** The webhook once somebody has switched it on, and what it led to for the old send-outs and a new one. */
  webhook_again: Body
  sendouts_again: Body[]
}

const attemptsOf = ({ row: { attempt, recovers_after }, offsets }: { row: Row; offsets: readonly number[] }): number =>
  attempt.error === null ? 1 : recovers_after === undefined ? offsets.length + 1 : recovers_after + 1

let receiver: WebhookReceiver
let requests: readonly ReceivedRequest[]
const chains = new Map<string, Chain[]>()

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  const nobody = await startWebhookReceiver()
  await nobody.kill()
  await Promise.all(
    Object.entries(groups).map(async ([name, group]) =>
      chains.set(name, await runGroup(group, { ...receiver.ports, nobody: nobody.ports.http })),
    ),
  )
  requests = await receiver.allRequests()
})

/** One project with a webhook for each row. One event goes to all of them, and the clock moves through its whole schedule. */
async function runGroup({ env, rows, offsets }: Group, ports: Record<string, number>): Promise<Chain[]> {
  const clock = stoppedClock(first)
  const service = await openDeliveringService({ clock, env })
  const { jobs, database } = service.runtime
  const shop = await newWebhookShop(service)
  const made: Array<Pick<Chain, 'row' | 'path' | 'webhook' | 'steps'>> = []
  for (const each of rows) {
    const { port = 'http', behaviour, recovers_after } = each
    const path = `/${recovers_after === undefined ? behaviour : 'recovers'}/${uniqueName('hook')}`
    if (recovers_after !== undefined) await receiver.answer(path, behaviour)
    const scheme = ['http', 'nobody'].includes(port) ? 'http' : 'https'
    const url = `${scheme}://127.0.0.1:${ports[port]}${path}`
    // Where private targets are refused, the address changes behind the back of the service, as that of a name does.
    const isRefused = env.WEBHOOK_ALLOW_PRIVATE_TARGETS === 'false'
    const webhook = await newWebhook(shop, isRefused ? 'https://8.8.8.8/' : url, ['voucher.created'])
    await sql`update webhooks set target_url = ${url} where id = ${webhook.id}`.execute(database.db)
    made.push({ row: each, path, webhook, steps: [] })
  }

  /** The send-outs of the voucher with this code, by webhook, when each of them has as many attempts as `count` says. */
  const reach = (code: string, count: (row: Row) => number): Promise<Map<string, Body>> =>
    until(async () => {
      jobs.wake('webhooks')
      const found = (await sendoutsOf(shop)).filter(({ data }) => data.data.voucher.code === code)
      const byWebhook = new Map(found.map((sendout) => [sendout.webhook_id, sendout]))
      const isReached = made.every(
        ({ row: each, webhook }) => byWebhook.get(webhook.id)?.attempts.length >= count(each),
      )
      return isReached ? byWebhook : undefined
    })
  const keepStep = async (attempts: number) => {
    const found = await reach('FIRST', (each) => Math.min(attempts, attemptsOf({ row: each, offsets })))
    for (const { webhook, steps } of made) {
      const { status, attempts: soFar, next_attempt_at } = found.get(webhook.id)
      steps.push({ status, attempts: soFar.length, next_attempt_at })
    }
    for (const { row: each, path } of made) if (each.recovers_after === attempts) await receiver.answer(path, 'ok')
  }

  await newVoucher(shop, 'FIRST')
  await keepStep(1)
  for (const [index, minutes] of offsets.entries()) {
    if (index === offsets.length - 1) {
      // At a moment when no retry of the first one is due.
      clock.set(afterMinutes((offsets.length === 1 ? 1 : minutes) - 0.5))
      await newVoucher(shop, 'LATER')
      await reach('LATER', () => 1)
    }
    if (offsets.length > 1) {
      clock.set(Date.parse(afterMinutes(minutes)) - 1)
      await letLook(jobs.wake)
    }
    clock.set(afterMinutes(minutes))
    await keepStep(index + 2)
  }
  // The others that wait fail when a node looks next.
  await until(async () => {
    jobs.wake('webhooks')
    return (await sendoutsOf(shop, 'status=RETRYING')).length === 0 ? true : undefined
  })
  clock.advance(48 * 3_600_000)
  await letLook(jobs.wake)

  const sendouts = await reach('FIRST', () => 1)
  const later = await reach('LATER', () => 1)
  const { data: notifications } = (await shop.manage('GET', '/notifications?limit=100')).body
  const ended = []
  for (const each of made) {
    const { id } = each.webhook
    ended.push({
      ...each,
      sendout: sendouts.get(id),
      later: later.get(id),
      webhook_after: (await shop.manage('GET', `/webhooks/${id}`)).body,
      notifications: notifications.filter(({ data }: Body) => data.webhook_id === id),
    })
  }
  for (const { webhook } of made) await switchOn(shop, webhook)
  await newVoucher(shop, 'AGAIN')
  await reach('AGAIN', () => 1)
  await letLook(jobs.wake)
  const all = await sendoutsOf(shop)
  const again = (await shop.manage('GET', '/webhooks')).body.data
  return ended.map((each) => ({
    ...each,
    webhook_again: again.find(({ id }: Body) => id === each.webhook.id),
    sendouts_again: all.filter(({ webhook_id }) => webhook_id === each.webhook.id),
  }))
}

async function switchOn(shop: Shop, { id }: Body): Promise<void> {
  expect(await shop.manage('PUT', `/webhooks/${id}`, { active: true })).toMatchObject({ status: 200 })
}

/** Lets the node look at what it should leave alone. */
async function letLook(wake: (name: 'webhooks') => void): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    wake('webhooks')
    await setTimeout(20)
  }
}

const titleOf = ({ behaviour, port, recovers_after }: Row): string =>
  [
    behaviour,
    ...(port === undefined ? [] : [`at the port ${port}`]),
    ...(recovers_after === undefined ? [] : [`${recovers_after} times, then 200`]),
  ].join(' ')

describe.each(Object.entries(groups))('%s', (group, { rows, offsets }) => {
  const cases = rows.map((each, index) => ({ title: titleOf(each), error: String(each.attempt.error), index }))

  test.each(cases)('$title: $error', ({ index }) => {
    const chain = chains.get(group)?.[index] as Chain
    const { row: each, webhook, sendout, later, steps } = chain
    const { attempt, recovers_after } = each
    const isLost = attempt.error !== null && recovers_after === undefined
    const count = attemptsOf({ row: each, offsets })
    const times = [0, ...offsets].map(afterMinutes)

    // The log at every step of the schedule: success ends it, and the last failure.
    expect(steps).toEqual(
      times.map((_at, step) =>
        step + 1 < count
          ? {
              status: 'RETRYING',
              attempts: step + 1,
              next_attempt_at: step === 0 ? afterMinutes(1) : times[step + 1],
            }
          : { status: isLost ? 'FAILED' : 'SUCCEEDED', attempts: count, next_attempt_at: null },
      ),
    )
    expect(sendout).toMatchObject({
      status: isLost ? 'FAILED' : 'SUCCEEDED',
      reason: null,
      executed_at: times[count - 1],
      next_attempt_at: null,
    })
    expect(sendout.attempts).toEqual(
      times.slice(0, count).map((at, number) => ({
        at,
        duration_ms: expect.any(Number),
        ...(number === recovers_after ? thanks : attempt),
      })),
    )

    // The webhook, and what else waited for it.
    expect(chain.webhook_after.active).toBe(!isLost)
    expect(later).toMatchObject(
      isLost
        ? { status: 'FAILED', reason: 'webhook disabled', next_attempt_at: null }
        : { status: 'SUCCEEDED', reason: null, next_attempt_at: null, attempts: [{ error: null }] },
    )
    // Without the steps between, its own retry is due together with the last one of the first.
    if (isLost) expect(later.attempts).toMatchObject(offsets.length === 1 ? [attempt, attempt] : [attempt])
    const { status_code, error } = attempt
    const kinds = chain.notifications.map(({ kind }) => kind)
    const data = { webhook_id: webhook.id, sendout_id: sendout.id, status_code, error }
    expect(kinds.filter((kind) => kind === 'webhook_disabled')).toHaveLength(isLost ? 1 : 0)
    if (isLost)
      expect(chain.notifications.find(({ kind }) => kind === 'webhook_disabled')).toMatchObject({
        severity: 'ERROR',
        created_at: afterMinutes(1_440),
        data,
      })
    expect(kinds.includes('webhook_failed')).toBe(error !== null)
    if (error !== null) expect(chain.notifications.at(-1)).toMatchObject({ kind: 'webhook_failed', data })

    // Switched on again: new events are sent, what has failed is not.
    expect(chain.webhook_again.active).toBe(true)
    const [again, ...before] = chain.sendouts_again
    expect(again).toMatchObject(
      isLost
        ? { status: 'RETRYING', next_attempt_at: afterMinutes(1_440 + 2_880 + 1), attempts: [attempt] }
        : { status: 'SUCCEEDED', attempts: [{ error: null }] },
    )
    expect(before).toEqual([later, sendout])

    // What arrived: each attempt, with the same bytes, and nothing at the address of a redirect.
    const arrived = requests.filter(({ path }) => path === chain.path)
    const ofFirst = arrived.filter(({ headers }) => headers['webhook-id'] === sendout.id)
    const isReached = each.port === undefined && sendout.attempts[0].error !== 'the address 127.0.0.1 is loopback'
    // A kept connection that is closed when it is reused costs a second request, without being an attempt.
    if (isReached) expect(ofFirst.length).toBeGreaterThanOrEqual(count)
    else expect(arrived).toEqual([])
    expect(ofFirst.every(({ body }) => body.toString() === JSON.stringify(sendout.data))).toBe(true)
    expect(requests.filter(({ path }) => path === '/ok' || path === '/latest/')).toEqual([])
  })
})

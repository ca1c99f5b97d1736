import { beforeAll, describe, expect, test } from 'vitest'
import { type Shop, type TestClock, type TestService, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openWebhookTarget, type TargetAnswer, type WebhookTarget } from '../../testing/webhook-target.ts'
import {
  newWebhook,
  newWebhookShop,
  openDeliveringService,
  sendoutsOf,
  stoppedClock,
  untilDelivered,
} from '../../testing/webhooks.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const codeOf = ({ data }: Body): string => data.data.voucher.code

describe('a last retry that is still in flight', () => {
  let clock: TestClock
  let service: TestService
  let target: WebhookTarget
  beforeAll(async () => {
    clock = stoppedClock('2026-01-01T00:00:00.000Z')
    service = await openDeliveringService({ clock })
    target = await openWebhookTarget()
  })

  /** A shop whose send-outs `codes` have their last retry, which is answered by code. */
  async function atLastRetry(codes: string[], last: Record<string, TargetAnswer>) {
    const answers: Record<string, TargetAnswer> = {}
    target.answer = ({ body }) => answers[body.data.voucher.code] ?? 500
    const shop = await newWebhookShop(service)
    const webhook = await newWebhook(shop, `${target.url}/${uniqueName('hooks')}`, ['voucher.created'])
    for (const code of codes) await newVoucher(shop, code)
    await retrying(shop, codes.length)
    Object.assign(answers, last)
    const before = target.requests.length
    clock.advance(1_440 * 60_000)
    service.runtime.jobs.wake('webhooks')
    const sent = () => target.requests.slice(before).map(({ body }) => body.data.voucher.code)
    await until(() => (codes.every((code) => sent().includes(code)) ? true : undefined))
    return { shop, webhook, answers }
  }

  const retrying = (shop: Shop, count: number) =>
    untilDelivered(service, async () =>
      (await sendoutsOf(shop, 'status=RETRYING')).length === count ? true : undefined,
    )

  const update = async (shop: Shop, { id }: Body, body: object) =>
    expect((await shop.manage('PUT', `/webhooks/${id}`, body)).status).toBe(200)

  const sendoutOf = (shop: Shop, code: string, isWanted: (sendout: Body) => boolean) =>
    untilDelivered(service, async () =>
      (await sendoutsOf(shop)).find((each) => codeOf(each) === code && isWanted(each)),
    )

  const isActive = async (shop: Shop, { id }: Body) => (await shop.manage('GET', `/webhooks/${id}`)).body.active

  /** What hangs fails, and new events arrive. */
  async function failHanging(answers: Record<string, TargetAnswer>, then: TargetAnswer): Promise<void> {
    for (const [code, answer] of Object.entries(answers)) if (answer === 'hang') answers[code] = then
    answers.NEW = 200
    target.release()
  }

  test('of a send-out that was given up leaves a webhook on that its owner has switched on since', async () => {
    const { shop, webhook, answers } = await atLastRetry(['A', 'B'], { A: 500, B: 'hang' })
    await until(async () => ((await isActive(shop, webhook)) ? undefined : true))
    await update(shop, webhook, { active: true })
    await sendoutOf(shop, 'B', ({ status }) => status === 'FAILED')
    await failHanging(answers, 500)
    const given = await sendoutOf(shop, 'B', ({ attempts }) => attempts.length === 2)
    expect(given).toMatchObject({ status: 'FAILED', reason: 'webhook disabled', next_attempt_at: null })
    expect(await isActive(shop, webhook)).toBe(true)
    await newVoucher(shop, 'NEW')
    await sendoutOf(shop, 'NEW', ({ status }) => status === 'SUCCEEDED')
  })

  test('does not count if the owner switches the webhook off and on: a new schedule begins', async () => {
    const { shop, webhook, answers } = await atLastRetry(['A'], { A: 'hang' })
    await update(shop, webhook, { active: false })
    await update(shop, webhook, { active: true })
    await failHanging(answers, 500)
    const again = await sendoutOf(shop, 'A', ({ attempts }) => attempts.length === 3)
    expect(again.status).toBe('RETRYING')
    expect(Date.parse(again.next_attempt_at) - Date.parse(again.attempts[2].at)).toBe(60_000)
    expect(await isActive(shop, webhook)).toBe(true)
    await newVoucher(shop, 'NEW')
    await sendoutOf(shop, 'NEW', ({ status }) => status === 'SUCCEEDED')
  })

  test('at an address that was corrected meanwhile is followed by one more, at the new address', async () => {
    const { shop, webhook, answers } = await atLastRetry(['A'], { A: 'hang' })
    const corrected = `${target.url}/${uniqueName('corrected')}`
    await update(shop, webhook, { target_url: corrected })
    target.answer = ({ path }) => (corrected.endsWith(path) ? 200 : 500)
    await failHanging(answers, 500)
    const arrived = await sendoutOf(shop, 'A', ({ status }) => status === 'SUCCEEDED')
    expect(arrived.target_url).toBe(corrected)
    expect(arrived.attempts).toHaveLength(3)
    expect(await isActive(shop, webhook)).toBe(true)
  })

  test('switches the webhook off if nobody has changed it', async () => {
    const { shop, webhook, answers } = await atLastRetry(['A'], { A: 'hang' })
    await failHanging(answers, 500)
    await sendoutOf(shop, 'A', ({ status }) => status === 'FAILED')
    await until(async () => ((await isActive(shop, webhook)) ? undefined : true))
  })
})

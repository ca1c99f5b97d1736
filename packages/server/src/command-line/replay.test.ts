import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../app.ts'
import { openLog } from '../core/lib/log.ts'
import { type Answer, newProject, type Shop, send, uniqueName } from '../testing/app.ts'
import { newDiscount, newGiftCard, newRule, percentOff, voucher, when } from '../testing/checkout.ts'
import { readFacts, replayCommand } from './replay.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const example = fileURLToPath(new URL('../../../../docs/examples/facts.json', import.meta.url))

function replayOutput(args: string[], options = {}): string {
  let output = ''
  replayCommand(args, options, (text) => {
    output += text
  })
  return output
}

test('the documented example prints the effect of each redeemable, or why it does not apply', () => {
  // 48.99 × 12.5 % = 6.12375; 48.99 − 6.12 − 10.00 = 32.87
  expect(replayOutput([example]).split('\n')).toEqual([
    'At 2026-03-14T10:30:00.000Z in Europe/Berlin:',
    '  APPLICABLE    Voucher SPRING takes 6.12 off: 6.12 off the order (6.12375 of 48.99, rounded to 6.12).',
    '  APPLICABLE    Voucher GIFT takes 10.00 off: 10.00 off the order.',
    '  INAPPLICABLE  Voucher WINTER cannot be used: voucher expired (expiration_date 2026-03-01T00:00:00.000Z, and it is 2026-03-14T10:30:00.000Z).',
    '  INAPPLICABLE  Promotion promo_big cannot be used: order does not match validation rules (rule 1 of val_from_100: order.amount is 32.87, must be more than or equal to 100.00).',
    'The request is valid.',
    'The order: 4899 before discounts, 1612 off, 3287 to pay (minor units).',
    '',
  ])
})

test('with --each every redeemable is evaluated on the order as sent', () => {
  expect(replayOutput([example], { each: true })).toContain(
    'order.amount is 48.99, must be more than or equal to 100.00',
  )
})

test('a file without valid facts is rejected with the first validation error', () => {
  const file = fileWith({ now: '2026-03-14T10:30:00.000Z' })
  expect(() => replayOutput([file])).toThrow("Facts must have required property 'timezone'")
  expect(() => replayOutput([])).toThrow('Usage: guerdon replay FILE')
})

test('at level trace the facts of a checkout are logged under its request id, and replaying them gives the same reasons', async () => {
  const { app, shop, lines } = await newLoggingService('trace')
  const { redeemables, order } = await cartOf(shop)
  const sent = { redeemables, order, options: { explain: true } }
  const { body, headers }: Answer<Body> = await send(app, 'POST', '/v1/validations', sent, shop.headers)

  const [line, ...more] = lines().filter(({ msg }) => msg === 'facts')
  expect(more).toEqual([])
  expect(line?.request_id).toBe(headers['x-request-id'])
  expect(JSON.stringify(line)).not.toContain(shop.app_token)

  const file = fileWith(line)
  expect(readFacts(file).redeemables.map(({ id }) => id)).toEqual(redeemables.map(({ id }) => id))
  const output = replayOutput([file])
  const sentences = body.redeemables.map(({ explanation }: Body) => explanation.sentence)
  expect(sentences).toHaveLength(2)
  for (const sentence of sentences) expect(output).toContain(sentence)
  expect(output).toContain(`${body.order.total_amount} to pay`)
})

test('below level trace only the request line of a checkout is logged', async () => {
  const { app, shop, lines } = await newLoggingService('debug')
  await send(app, 'POST', '/v1/validations', await cartOf(shop), shop.headers)
  expect(lines().map(({ msg }) => msg)).toEqual(['request'])
})

async function cartOf(shop: Shop) {
  const [code, gift] = [uniqueName('SPRING'), uniqueName('GIFT')]
  const rule = await newRule(shop, when('order.amount', { $more_than_or_equal: [2000] }))
  await newDiscount(shop, code, percentOff(12.5), { validation_rules: [rule.id] })
  await newGiftCard(shop, gift, 10_000)
  return {
    redeemables: [voucher(code), voucher(gift, { gift: { credits: 1000 } })],
    order: { items: [{ source_id: 'mug', quantity: 2, price: 1450 }] },
  }
}

function fileWith(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-facts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'facts.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** A service that logs into memory. */
async function newLoggingService(level: string) {
  const shop = await newProject()
  const written: string[] = []
  const log = openLog(level, { write: (line) => void written.push(line) })
  const app = buildApp({ runtime: { ...shop.service.runtime, log } })
  await app.ready()
  onTestFinished(() => app.close())
  return { app, shop, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

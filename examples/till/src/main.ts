import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGuerdon } from '@guerdon/client'
import { openGuerdon } from '../../service/open-guerdon.ts'
import { projectOf } from '../../service/project-of.ts'
import { openJournal } from './journal.ts'
import { prepareOffers } from './offers.ts'
import { money, reportOf } from './report.ts'
import { type Cart, sell } from './sell.ts'
import { settle } from './settle.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

// npm start -w examples/till: a day of a till. It takes a snapshot, loses its connection, sells, and settles in the evening.

const say = (text: string) => void process.stdout.write(`${text}\n`)

const service = await openGuerdon()
const guerdon = createGuerdon({ ...service.server, retry: { attempts: 2 } })
const folder = mkdtempSync(join(tmpdir(), 'guerdon-till-'))
try {
  await prepareOffers(guerdon)

  // In the morning, online. A till that is switched on without a connection reads the file of the day before.
  const file = join(folder, 'snapshot.json')
  writeFileSync(file, JSON.stringify(await takeSnapshot(guerdon, await projectOf(guerdon))))
  const snapshot: Snapshot = JSON.parse(readFileSync(file, 'utf8'))
  const { products, promotions, vouchers } = snapshot
  say(`Snapshot: ${products.length} products, ${promotions.length} promotions, ${vouchers.length} codes`)

  const reconnect = await service.interrupt()
  if (service.is_own) say(`Offline: ${await answerOf()}`)
  const journal = openJournal(join(folder, 'journal.jsonl'))
  const serve = (cart: Cart) => {
    const { sale, sentences } = sell(snapshot, journal, cart)
    say(`Sold for ${money(sale.total)}: ${sentences.join(' ') || 'nothing taken off.'}`)
  }
  serve({ items: { 'till-mug': 3 }, codes: [] })
  serve({ items: { 'till-mug': 1 }, codes: ['ONCE'] })
  serve({ items: { 'till-shirt': 1 }, codes: ['ONCE'] }) // used at this till a minute ago
  serve({ items: { 'till-shirt': 1 }, codes: ['NOPE'] })
  say(`${journal.pending().length} sales wait for the service`)

  // In the evening the connection is back. Meanwhile somebody used ONCE in the web shop.
  await reconnect()
  say(`Online: ${await answerOf()}`)
  await guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'ONCE' }], order: { amount: 5_000 } })
  await settle(guerdon, journal)
  for (const line of reportOf(journal.settlements())) say(line)
  journal.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
  await service.close()
}

/** Whether the service answers. */
async function answerOf(): Promise<string> {
  const answer = await guerdon.listProducts({ limit: 1 })
  return answer.ok ? 'the service answers' : `no answer (${answer.error.kind})`
}

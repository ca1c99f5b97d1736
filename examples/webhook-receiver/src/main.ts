import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setInterval } from 'node:timers/promises'
import { createGuerdon, type Guerdon, unwrap } from '@guerdon/client'
import { openGuerdon } from '../../service/open-guerdon.ts'
import { projectOf } from '../../service/project-of.ts'
import { untilSignal } from '../../service/signals.ts'
import { catchUp } from './catch-up.ts'
import { type KeptEvent, openEventStore } from './event-store.ts'
import { openReceiver } from './receiver.ts'
import { subscribe } from './subscribe.ts'

// npm start -w examples/webhook-receiver: receives on http://127.0.0.1:8030, or on PORT. EVENTS_FILE: where events are kept.

const say = (text: string) => void process.stdout.write(`${text}\n`)
const tell = ({ id, type, entity_id }: KeptEvent) => say(`${id} ${type} ${entity_id}`)

const service = await openGuerdon({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
const guerdon = createGuerdon(service.server)
const project = await projectOf(guerdon)
// The ids and cursors of a service that ends with the example mean nothing to the next one.
const store = openEventStore(process.env.EVENTS_FILE ?? (service.is_own ? ':memory:' : 'events.sqlite'))
const { webhook_token: token } = unwrap(await guerdon.getProject(project))
if (!token) throw new Error('The management key may not read the webhook token of the project')

const receiver = openReceiver(store, token, tell).listen(Number(process.env.PORT ?? 8030), '127.0.0.1')
await once(receiver, 'listening')
const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
await subscribe(guerdon, project, address)
say(`Listening on ${address}`)
say(`Caught up: ${await catchUp(guerdon, project, store, tell)} events were missed.`)

const over = new AbortController()
const reading = readNowAndThen(over.signal)
if (service.is_own) await redeemOnce(guerdon)
await untilSignal()
over.abort()
await reading
receiver.closeAllConnections()
receiver.close()
say(`${store.count()} events are stored.`)
store.close()
await service.close()

/** A delivery that is given up is found here, also while the receiver runs on. */
async function readNowAndThen(signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of setInterval(60_000, null, { signal }))
      await catchUp(guerdon, project, store, tell).catch((error) => say(`Not caught up: ${error.message}`))
  } catch {
    // aborted: the example ends
  }
}

/** Something to receive, where nobody else uses the service. */
async function redeemOnce(client: Guerdon): Promise<void> {
  const discount = { type: 'PERCENT', percent_off: 10 } as const
  unwrap(await client.createVoucherWithCode({ code: 'HOOK' }, { type: 'DISCOUNT_VOUCHER', discount }))
  const order = { amount: 2_900 }
  const customer = { source_id: 'ann' }
  unwrap(await client.redeem({ redeemables: [{ object: 'voucher', id: 'HOOK' }], order, customer }))
}

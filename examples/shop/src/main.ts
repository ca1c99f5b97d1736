import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openGuerdon } from '../../service/open-guerdon.ts'
import { untilSignal } from '../../service/signals.ts'
import { openShop } from './open-shop.ts'

// npm start -w examples/shop: the shop on http://127.0.0.1:8020, or on PORT.

const guerdon = await openGuerdon()
const shop = await openShop(guerdon.server)
shop.listen(Number(process.env.PORT ?? 8020), '127.0.0.1')
await once(shop, 'listening')
process.stdout.write(`The shop is on http://127.0.0.1:${(shop.address() as AddressInfo).port}\n`)
await untilSignal()
shop.closeAllConnections()
shop.close()
await guerdon.close()

import { parseArgs } from 'node:util'
import { otherCheckout } from './against.ts'
import { auditCost } from './audit-cost.ts'
import { auditLog } from './audit-log.ts'
import { codes } from './codes.ts'
import { compare } from './compare.ts'
import { customerImport } from './customer-import.ts'
import { customerList } from './customer-list.ts'
import { engine } from './engine.ts'
import { growth } from './growth.ts'
import { loyalty } from './loyalty.ts'
import { mixed } from './mixed.ts'
import { operationCost } from './operation-cost.ts'
import { pooler } from './pooler.ts'
import { proof } from './proof/main.ts'
import { qualification } from './qualification.ts'
import { replica } from './replica.ts'
import { sizing } from './sizing/measure.ts'
import { statistics } from './statistics.ts'
import { voucherImport } from './voucher-import.ts'
import { webhooks } from './webhooks.ts'
import { workers } from './workers.ts'

const benches = {
  proof,
  compare,
  engine,
  'operation-cost': operationCost,
  'audit-cost': auditCost,
  'audit-log': auditLog,
  'customer-list': customerList,
  'customer-import': customerImport,
  'voucher-import': voucherImport,
  codes,
  qualification,
  loyalty,
  mixed,
  pooler,
  replica,
  statistics,
  webhooks,
  sizing,
  workers,
  growth: () => growth(size as Record<string, string>),
}

const { values, positionals: wanted } = parseArgs({
  // The last three say how much history `growth` makes.
  options: {
    against: { type: 'string' },
    events: { type: 'string' },
    redemptions: { type: 'string' },
    years: { type: 'string' },
  },
  allowPositionals: true,
})
const { against, ...size } = values
for (const name of wanted)
  if (!(name in benches)) throw new Error(`No bench called ${name}. There are: ${Object.keys(benches).join(', ')}`)
// The default measures every claim about speed; the others measure one thing each, some for half an hour.
const standard = ['proof', 'webhooks', 'audit-cost'] as const
const other = otherCheckout(against ?? null)
try {
  for (const name of wanted.length === 0 ? standard : (wanted as Array<keyof typeof benches>)) {
    console.log(`\n${name}`)
    await benches[name](other)
  }
} finally {
  other?.remove()
}

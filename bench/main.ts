import { codes } from './codes.ts'
import { customerImport } from './customer-import.ts'
import { customerList } from './customer-list.ts'
import { engine } from './engine.ts'
import { loyalty } from './loyalty.ts'
import { operationCost } from './operation-cost.ts'
import { qualification } from './qualification.ts'
import { voucherImport } from './voucher-import.ts'

const cases = {
  engine,
  'operation-cost': operationCost,
  'customer-list': customerList,
  'customer-import': customerImport,
  'voucher-import': voucherImport,
  codes,
  qualification,
  loyalty,
}

const wanted = process.argv.slice(2)
for (const name of wanted)
  if (!(name in cases)) throw new Error(`No bench called ${name}. There are: ${Object.keys(cases).join(', ')}`)
for (const [name, run] of Object.entries(cases)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n${name}`)
  await run()
}

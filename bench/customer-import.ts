import { importFile, measureImport } from './measured-import.ts'
import { openShop } from './shop.ts'

const rows = 100_000
const path = '/v1/customers/importCSV'

/** A CSV file of 100,000 customers: duration and growth of the process memory. */
export async function customerImport(): Promise<void> {
  const shop = await openShop()
  try {
    await importFile(shop, path, file(1, 2_000)) // warms up: memory that the first import allocates for good is not measured
    await measureImport(shop, path, { csv: file(2, rows), rows, noun: 'customers' })
  } finally {
    await shop.stop()
  }
}

/** Every hundredth row has an invalid date. */
function file(of: number, count: number): string {
  const lines = ['Name,Email,Source_id,Birthdate,Address_City,loyal']
  for (let n = 1; n <= count; n += 1)
    lines.push(`Customer ${n},c${n}@example.com,s${of}-${n},${n % 100 === 0 ? 'never' : '1990-03-01'},Kraków,yes`)
  return lines.join('\n')
}

import { importFile, measureImport } from './measured-import.ts'
import { openShop } from './shop.ts'

const rows = 100_000
const path = '/v1/vouchers/importCSV'

/** A CSV file of 100,000 codes, half of them gift cards: duration and growth of the process memory. */
export async function voucherImport(): Promise<void> {
  const shop = await openShop()
  try {
    await importFile(shop, path, file(1, 2_000)) // warms up: memory that the first import allocates for good is not measured
    await measureImport(shop, path, { csv: file(2, rows), rows, noun: 'codes' })
  } finally {
    await shop.stop()
  }
}

/** Every hundredth row has an invalid value. */
function file(of: number, count: number): string {
  const lines = ['Code,Voucher Type,Value,Discount Type,Category,Redemption Limit,season']
  for (let n = 1; n <= count; n += 1) {
    const value = n % 100 === 0 ? 'much' : '1500'
    lines.push(
      n % 2 === 0
        ? `SHOP-${of}-${n},GIFT_VOUCHER,${value},,Cards,,spring`
        : `SHOP-${of}-${n},DISCOUNT_VOUCHER,${value},AMOUNT,Codes,3,`,
    )
  }
  return lines.join('\n')
}

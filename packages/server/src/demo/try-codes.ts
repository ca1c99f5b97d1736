import { codes, refusedForVip, vipCodes, vipCustomer } from './known.ts'
import type { DemoShop } from './shop.ts'

/** A code, and what it does at present to an order of this customer. */
export interface TriedCode {
  code: string
  customer: string
  order: string
  is_valid: boolean
  /** In one line, with the numbers. */
  sentence: string
}

const order = { items: [{ source_id: 'house-espresso', related_object: 'product', quantity: 4 }] }

/** Validates the codes that the command shows, so that what it says of them is true. */
export async function tryCodes({ call }: DemoShop): Promise<TriedCode[]> {
  const tried: TriedCode[] = []
  for (const code of [codes.vip, codes.beans, vipCodes.gift, refusedForVip.code, codes.sale]) {
    const { valid, redeemables } = await call('POST', '/v1/validations', {
      redeemables: [{ object: 'voucher', id: code }],
      customer: { source_id: vipCustomer.source_id },
      order,
      options: { explain: true },
    })
    const sentence: string = redeemables[0]?.explanation?.sentence ?? ''
    tried.push({ code, customer: vipCustomer.email, order: '4 × House Espresso', is_valid: valid, sentence })
  }
  return tried
}

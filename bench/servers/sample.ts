/** The request body of a checkout. */
export interface Cart {
  redeemables: Array<{ object: string; id: string }>
  customer: { source_id: string }
  order: { items: Array<{ source_id: string; quantity: number; price: number }> }
}

/** About a kilobyte, similar to the response to a validation of one code. */
export const sample = {
  id: 'valid_0NTkFq1xHHHHHHHHHHHHHHHH',
  valid: true,
  redeemables: [
    {
      status: 'APPLICABLE',
      id: 'SUMMER-10',
      object: 'voucher',
      redeemed: 0,
      result: { discount: { type: 'PERCENT', effect: 'APPLY_TO_ORDER', percent_off: 10 } },
    },
  ],
  order: {
    object: 'order',
    amount: 9896,
    total_discount_amount: 990,
    total_amount: 8906,
    items: ['mug', 'pot', 'lid'].map((sourceId) => ({
      object: 'order_item',
      source_id: sourceId,
      related_object: 'product',
      quantity: 2,
      price: 1250,
      amount: 2500,
      total_discount_amount: 250,
      subtotal_amount: 2250,
    })),
  },
  tracking_id: 'track_HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH',
}

/** The schema with which Fastify serializes it. */
export const Sample = schemaOf(sample)

function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0]) }
  if (typeof value !== 'object' || value === null) return { type: Number.isInteger(value) ? 'integer' : typeof value }
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaOf(each)])),
  }
}

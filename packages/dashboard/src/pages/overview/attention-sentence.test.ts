import { expect, test } from 'vitest'
import { newFormat } from '../../ui/format.tsx'
import { attentionSentence as sentenceOf } from './attention-sentence.ts'

const attentionSentence = (entry: Parameters<typeof sentenceOf>[0]) => sentenceOf(entry, newFormat('EUR', 'UTC').money)

test('keys of the service are said in words', () => {
  expect(
    attentionSentence({
      message: 'The job VOUCHERS.IMPORT_CSV failed, with 4 errors.',
      data: { type: 'VOUCHERS.IMPORT_CSV', failed_count: 4 },
    }),
  ).toBe('“Import codes from a file” failed, with 4 errors.')
  expect(
    attentionSentence({
      message: '80 redemptions of 90 attempts were refused for one reason: quantity_exceeded.',
      data: { reason: 'quantity_exceeded' },
    }),
  ).toBe('80 redemptions of 90 attempts were refused for one reason: used up.')
  expect(attentionSentence({ message: 'The campaign "VIP" has used 88 % of its budget.', data: {} })).toBe(
    'The campaign “VIP” has used 88\u00a0% of its budget.',
  )
  expect(
    attentionSentence({
      message: 'The campaign "VIP" has used 88 % of its budget: 336.00 EUR of 380.00 EUR.',
      data: { used: 33_600, limit: 38_000 },
    }),
  ).toBe('The campaign “VIP” has used 88\u00a0% of its budget: €336.00 of €380.00.')
})

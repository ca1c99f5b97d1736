import { describe, expect, test } from 'vitest'
import { readCsv, withCommas } from './csv.ts'
import { columnsOf, importKinds, missingColumns } from './import-kinds.ts'
import { reasonSentence } from './reasons.ts'
import { commonReasons, errorsAsCsv, resultOf } from './result.ts'

describe('CSV files', () => {
  test('quotes, commas and line breaks in cells, blank lines, a byte order mark', () => {
    const text = '\uFEFF Code , Note\r\nA,"one, ""two"""\r\n\r\nB,"line\nbreak"\r\nC,\r\n'
    expect(readCsv(text)).toEqual({
      header: ['Code', 'Note'],
      rows: [
        ['A', 'one, "two"'],
        ['B', 'line\nbreak'],
        ['C', ''],
      ],
      separator: ',',
    })
  })

  test('only as many rows as wanted', () => {
    expect(readCsv('Code\nA\nB\nC', 2).rows).toEqual([['A'], ['B']])
  })

  test('no file, no rows, an open quote', () => {
    expect(readCsv('')).toEqual({ header: [], rows: [], separator: ',' })
    expect(readCsv('Code').rows).toEqual([])
    expect(readCsv('Code\n"A').rows).toEqual([['A']])
  })

  test('semicolons and tabs are found by the header and become commas', () => {
    const csv = readCsv('Code;Note\nA;"1,5; 2"\nB;x,y')
    expect(csv.separator).toBe(';')
    expect(withCommas(csv)).toBe('Code,Note\nA,"1,5; 2"\nB,"x,y"')
    expect(readCsv('Code\tNote\nA\tB').separator).toBe('\t')
    expect(readCsv('"Code;x",Note\nA,B').separator).toBe(',')
  })

  test('a large file in one pass', () => {
    const text = `Code,Note\n${'"ABC","x"\n'.repeat(200_000)}`
    expect(readCsv(text).rows.length).toBe(200_000)
  })
})

describe('columns of an import', () => {
  test('known ones in any spelling, others are metadata, nameless ones are left out', () => {
    expect(columnsOf(importKinds.codes, ['CODE', 'voucher_type', 'Value', 'Shop', ''])).toEqual([
      { header: 'CODE', meaning: 'known' },
      { header: 'voucher_type', meaning: 'known' },
      { header: 'Value', meaning: 'known' },
      { header: 'Shop', meaning: 'metadata' },
      { header: '', meaning: 'ignored' },
    ])
    expect(missingColumns(importKinds.codes, ['CODE', 'voucher_type', 'Value'])).toEqual([])
    expect(missingColumns(importKinds.codes, ['code'])).toEqual(['Voucher Type', 'Value'])
  })

  test('the example of each kind has its columns', () => {
    for (const kind of Object.values(importKinds)) {
      const { header, rows } = readCsv(kind.example)
      expect(missingColumns(kind, header)).toEqual([])
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(row.length).toBe(header.length)
    }
  })
})

describe('results', () => {
  test('of an import and of a bulk change', () => {
    expect(
      resultOf({ message: 'm', done_count: 1, failed_count: 2, failed: [{ code: 'A', row: 3, reason: 'taken' }] }),
    ).toMatchObject({ done: 1, failed: 2, errors: [{ row: 3, subject: 'A', reason: 'Taken.' }], reports: [] })
    expect(
      resultOf({
        done_count: 1,
        reports: ['https://x/v1/task-results/t'],
        errors: [{ message: 'm', details: 'd', source_id: 's' }],
      }),
    ).toMatchObject({
      errors: [{ row: undefined, subject: 's', reason: 'D.' }],
      reports: ['https://x/v1/task-results/t'],
    })
    expect(resultOf(undefined)).toBe(undefined)
  })

  test.each([
    ['Voucher Type is required', '“Voucher Type” is empty, and every row needs it.'],
    ['Column product_id must not be empty', '“product_id” is empty, and every row needs it.'],
    ['Value must be an integer', '“Value” must be a whole number.'],
    ['Property .price must be integer', '“price” must be a whole number.'],
    ['Property .price must be >= 0', '“price” must be 0 or more.'],
    ['Redemption Limit must not be less than 1', '“Redemption Limit” must be 1 or more.'],
    ['Property .discount.percent_off must be <= 100', '“Value” must be 100 or less.'],
    ['Property .name must NOT have more than 255 characters', '“name” is longer than 255 characters.'],
    [
      'Column birthdate cannot be recognized as a ISO-8601 compliant date',
      '“Birthdate” must be a date such as 2030-08-31.',
    ],
    [
      'Property .discount.effect must be equal to one of the allowed values [ APPLY_TO_ORDER, APPLY_TO_ITEMS ]',
      '“Discount Effect” must be one of APPLY_TO_ORDER, APPLY_TO_ITEMS.',
    ],
    [
      'Property .discount.amount_off_formula is no formula: the formula ends too early',
      '“Formula” cannot be calculated: the formula ends too early.',
    ],
    ['Redeemed Amount must not be more than Value', '“Redeemed Amount” must not be more than “Value”.'],
    [
      'Redeemed Quantity must not be more than the redemption limit of 3',
      '“Redeemed Quantity” must not be more than the redemption limit of 3.',
    ],
    ['Active must be TRUE or FALSE', '“Active” must be TRUE or FALSE.'],
    ['Column attributes must be a JSON object', '“attributes” must be written like {"colour": "red"}'],
    ['Property .expiration_date must not be earlier than .start_date', 'It expires before it starts.'],
    ['Cannot find validation_rules with id val_x', 'There is no validation rule “val_x”.'],
    ['Duplicated voucher exists with id TEN', 'The code “TEN” exists already, elsewhere or in the bin.'],
    [
      'Duplicated sku exists with source_id mug-1',
      'A product variant with the source id “mug-1” exists already, elsewhere or in the bin.',
    ],
    ['The row has 1 cells where the header has 3', 'The row has 1 cell, the first row of the file 3.'],
    ['year: must be a number, property is required', '“year” must be a number, is required.'],
  ])('“%s” is said as a sentence about the column', (reason, sentence) => {
    expect(reasonSentence(reason)).toBe(sentence)
  })

  test('what is not known stays in the words of the service', () => {
    expect(reasonSentence('Property .moon must be full')).toBe('Property .moon must be full.')
    expect(reasonSentence('the moon is full')).toBe('The moon is full.')
    const long = `${'must '.repeat(200_000)}not`
    expect(reasonSentence(long)).toBe(`M${long.slice(1)}.`)
  })

  test('the reasons that occur most', () => {
    const errors = ['a', 'b', 'a', 'c', 'b', 'a'].map((reason) => ({ row: 1, subject: undefined, reason }))
    expect(commonReasons(errors)).toEqual([
      { reason: 'a', count: 3 },
      { reason: 'b', count: 2 },
    ])
  })

  test('errors as a file that a spreadsheet does not run', () => {
    const errors = [
      { row: 2, subject: '=1+1', reason: 'Bad, "very"' },
      { row: 3, subject: ' ＝1+1', reason: 'Bad' },
    ]
    expect(errorsAsCsv(errors)).toBe('Row,About,What was wrong\n2,\'=1+1,"Bad, ""very"""\n3,\' ＝1+1,Bad')
  })
})

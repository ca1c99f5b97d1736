import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantText, readInstant } from './index.ts'

const read = (text: string) => {
  const at = readInstant(text)
  return at === null ? null : instantText(at)
}

describe('readInstant', () => {
  test.each([
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T10', '2026-01-01T10:00:00.000Z'],
    ['2026-01-01T10:30', '2026-01-01T10:30:00.000Z'],
    ['2026-01-01T10:30:15', '2026-01-01T10:30:15.000Z'],
    ['2026-01-01T10:30:15Z', '2026-01-01T10:30:15.000Z'],
    ['2026-01-01T10:30:15.25Z', '2026-01-01T10:30:15.250Z'],
    ['2026-01-01T10:30:15.007', '2026-01-01T10:30:15.007Z'],
    ['2026-01-01T10:30:15.123999999Z', '2026-01-01T10:30:15.123Z'],
    ['2026-01-01T10:30:15.5+02:00', '2026-01-01T08:30:15.500Z'],
    ['2026-01-01T10:30+02:00', '2026-01-01T08:30:00.000Z'],
    ['2026-01-01T10+02:30', '2026-01-01T07:30:00.000Z'],
    ['2026-01-01T10:30:15-0545', '2026-01-01T16:15:15.000Z'],
    ['2026-01-01T23:59:59.999-00:01', '2026-01-02T00:00:59.999Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  test.each([
    '',
    '2026',
    '2026-1-01',
    '2026-02-30',
    '2025-02-29',
    '2026-04-31',
    '2026-00-01',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '2026-01-01T24:01',
    '2026-01-01T24:00:00.001Z',
    '2026-01-01T10:60',
    '2026-01-01T10:30:60',
    '2026-01-01T10:30:15.Z',
    '2026-01-01T10:30:15.1234567890Z',
    '2026-01-01 10:30',
    '2026-01-01Z',
    '2026-01-01+02:00',
    '2026-01-01T',
    '2026-01-01T10:30z',
    '2026-01-01T10:30+24:00',
    '2026-01-01T10:30+02:60',
    '2026-01-01T10:30+2',
    '0000-12-31',
    '9999-12-31T23:59:59.999-00:01',
    '+2026-01-01',
    '2026-01-01T10:30Z\n',
    'tomorrow',
  ])('%j is invalid', (text) => {
    expect(readInstant(text)).toBeNull()
  })

  test('parses what the service formats, and agrees with Date on every form', () => {
    const instant = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(
        instant,
        fc.constantFrom(10, 13, 16, 19, 20, 24),
        fc.integer({ min: -839, max: 839 }),
        (date, length, offset) => {
          const text = date.toISOString()
          expect(readInstant(text)).toBe(date.getTime())
          const sign = `${offset < 0 ? '-' : '+'}${String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')}:${String(Math.abs(offset) % 60).padStart(2, '0')}`
          const cut = text.slice(0, length)
          // Date requires minutes and a zone, otherwise it uses the zone of the machine.
          const complete = length === 10 ? cut : length === 13 ? `${cut}:00Z` : length >= 20 ? text : `${cut}Z`
          if (length !== 20) expect(readInstant(cut)).toBe(Date.parse(complete))
          const elsewhere = Date.parse(text) - offset * 60_000
          const inRange = elsewhere >= Date.parse('0001-01-01') && elsewhere <= Date.parse('9999-12-31T23:59:59.999Z')
          expect(readInstant(text.replace('Z', sign))).toBe(inRange ? elsewhere : null)
        },
      ),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseInstant, toInstant } from './instant.ts'

describe('the date formats of the contract', () => {
  test.each([
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T10', '2026-01-01T10:00:00.000Z'],
    ['2026-01-01T10:30', '2026-01-01T10:30:00.000Z'],
    ['2026-01-01T10:30:15', '2026-01-01T10:30:15.000Z'],
    ['2026-01-01T10:30:15Z', '2026-01-01T10:30:15.000Z'],
    ['2026-01-01T10:30:15.250Z', '2026-01-01T10:30:15.250Z'],
    ['2026-01-01T10+02:00', '2026-01-01T08:00:00.000Z'],
    ['2026-01-01T10:30+02:00', '2026-01-01T08:30:00.000Z'],
    ['2026-01-01T10:30:15-05:30', '2026-01-01T16:00:15.000Z'],
    ['2026-01-01T10:30:15.250+14:00', '2025-12-31T20:30:15.250Z'],
    ['2026-01-01T00:00:00.000-00:00', '2026-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  test.each([
    ['2026-01-01T10:30:15.5Z', '2026-01-01T10:30:15.500Z'],
    ['2026-01-01T10:30:15.123456789Z', '2026-01-01T10:30:15.123Z'],
    ['2026-01-01T10:30:15.9999Z', '2026-01-01T10:30:15.999Z'],
  ])('%s keeps milliseconds and never rounds up into the next second: %s', (text, instant) => {
    expect(parseInstant(text)).toBe(instant)
  })

  test('the last moment of a day may be written as 24:00', () => {
    expect(parseInstant('2026-12-31T24:00:00Z')).toBe('2027-01-01T00:00:00.000Z')
    expect(parseInstant('2026-12-31T24:00:01Z')).toBeNull()
  })
})

test.each([
  '', ' ', 'now', '2026', '2026-01', '2026-1-1', '26-01-01', '02026-01-01', '2026/01/01', '20260101', '01-01-2026',
  '2026-00-10', '2026-13-10', '2026-01-00', '2026-01-32', '2026-01-01T25', '2026-01-01T10:60', '2026-01-01T10:30:60',
  '2026-01-01 10:30', '2026-01-01T', '2026-01-01T1', '2026-01-01T10:3', '2026-01-01Z', '2026-01-01+02:00',
  '2026-01-01T10:30:15.Z', '2026-01-01T10:30:15,5Z', '2026-01-01T10:30:15z', '2026-01-01T10:30+2', '2026-01-01T10:30+02:60',
  '2026-01-01T10:30+24:00', '2026-01-01T10:30:15ZZ', ' 2026-01-01', '2026-01-01\n', '２０２６-01-01', '+002026-01-01T00:00:00Z',
  '1767225600', '-2026-01-01',
])('%j is not a date', (text) => {
  expect(parseInstant(text)).toBeNull()
}) // biome-ignore format: a list of words

describe('days that do not exist', () => {
  test.each([
    '2026-02-29',
    '2026-02-30',
    '2026-02-31',
    '2026-04-31',
    '2026-06-31',
    '2026-09-31',
    '2026-11-31',
    '1900-02-29',
    '2100-02-29T12:00Z',
  ])('%s is refused instead of moved into the next month', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  test.each(['2024-02-29', '2000-02-29', '2400-02-29', '2026-12-31', '0004-02-29'])('%s exists', (text) => {
    expect(parseInstant(text)).toBe(`${text}T00:00:00.000Z`)
  })
})

test.each(['0000-01-01', '0000-12-31T23:59', '0001-01-01T00:00+00:01', '9999-12-31T23:59-00:01', '9999-12-31T24:00'])(
  '%s is outside the years 1 to 9999, whose texts sort by time, and is refused',
  (text) => {
    expect(parseInstant(text)).toBeNull()
  },
)

const moment = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

test('an instant is parsed to itself', () => {
  fc.assert(
    fc.property(moment, (date) => {
      expect(parseInstant(toInstant(date))).toBe(toInstant(date))
    }),
  )
})

test('a moment is parsed to the same instant whatever its offset', () => {
  const inside = fc.date({
    min: new Date('0002-01-01T00:00:00Z'),
    max: new Date('9998-01-01T00:00:00Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(inside, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, minutes) => {
      const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1)
      const pad = (part: number) => String(part).padStart(2, '0')
      const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
      expect(parseInstant(`${local}${offset}`)).toBe(toInstant(date))
    }),
  )
})

test('the string order of instants is their order in time', () => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      expect(Math.sign(Number(toInstant(a) > toInstant(b)) - Number(toInstant(a) < toInstant(b)))).toBe(
        Math.sign(a.getTime() - b.getTime()),
      )
    }),
  )
})

test('parsing any text gives an instant or null, and never throws', () => {
  const digits = fc.stringMatching(/^\d{4}-\d{2}-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d{1,4})?)?)?(Z|[+-]\d{2}:\d{2})?)?$/)
  fc.assert(
    fc.property(fc.oneof(digits, fc.string()), (text) => {
      const instant = parseInstant(text)
      if (instant !== null) expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }),
  )
})

import { expect, test } from 'vitest'
import { changeOf, type Overview, type OverviewFigure, valuesOf } from './figures.ts'

const plain = (value: number) => String(value)

test('a change is said in words, with what it was before', () => {
  expect(changeOf(112, 100, 'the 7 days before', plain)).toEqual({
    text: '+12 %',
    words: '12 % more than 100 in the 7 days before',
  })
  expect(changeOf(50, 100, 'the 7 days before', plain).text).toBe('−50 %')
  expect(changeOf(1001, 1000, 'the day before', plain).text).toBe('± 0 %')
  expect(changeOf(5, 0, 'the day before', plain)).toEqual({ text: 'none before', words: 'None in the day before' })
  expect(changeOf(7, 7, 'the day before', plain).text).toBe('no change')
  expect(changeOf(5000, 100, 'the day before', plain)).toEqual({
    text: '50 ×',
    words: '50 × the 100 of the day before',
  })
})

test('what is owed at each point leads up to what is owed now', () => {
  const figure: OverviewFigure = {
    id: 'owed',
    name: '',
    unit: 'points',
    about: '',
    of: ({ points_owed }) => points_owed,
    now: ({ owed }) => owed.points,
  }
  const overview = { owed: { points: 130 }, series: [{ points_owed: 50 }, { points_owed: -20 }, { points_owed: 30 }] }
  expect(valuesOf(figure, overview as unknown as Overview)).toEqual([120, 100, 130])
})

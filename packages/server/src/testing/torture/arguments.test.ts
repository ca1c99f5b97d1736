import { expect, test } from 'vitest'
import { parseArguments } from './arguments.ts'

test('time and seed as given', () => {
  expect(parseArguments(['--seconds', '300', '--seed', '1'])).toEqual({ seconds: 300, seed: 1 })
  expect(parseArguments(['--seconds=30', '--seed=0'])).toEqual({ seconds: 30, seed: 0 })
})

test('a minute and a random seed unless told', () => {
  expect(parseArguments([])).toEqual({ seconds: 60, seed: expect.any(Number) })
})

test('help', () => {
  expect(parseArguments(['--help'])).toBeNull()
})

const refused: Array<[args: string[], message: RegExp]> = [
  [['--seconds', '29'], /--seconds must be a whole number from 30 to 7200, not '29'/],
  [['--seconds', '7201'], /--seconds must be/],
  [['--seconds', 'long'], /--seconds must be .* not 'long'/],
  [['--seconds', '1e3'], /--seconds must be/],
  [['--seconds='], /--seconds must be .* not ''/],
  [['--seconds'], /--seconds/],
  [['--seed', '1.5'], /--seed must be a whole number from 0 to 999999999, not '1.5'/],
  [['--seed=-1'], /--seed must be/],
  [['--forever'], /--forever/],
  [['300'], /300/],
]
test.each(refused)('%j is refused, and why', (args, message) => {
  expect(() => parseArguments(args)).toThrow(message)
})

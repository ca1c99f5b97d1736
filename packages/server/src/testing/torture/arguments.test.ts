import { expect, test } from 'vitest'
import { parseArguments } from './arguments.ts'

test('duration and seed are read from the arguments', () => {
  expect(parseArguments(['--seconds', '300', '--seed', '1'])).toEqual({ seconds: 300, seed: 1, failover: null })
  expect(parseArguments(['--seconds=30', '--seed=0'])).toEqual({ seconds: 30, seed: 0, failover: null })
})

test('the defaults are 60 seconds and a random seed', () => {
  expect(parseArguments([])).toEqual({ seconds: 60, seed: expect.any(Number), failover: null })
})

test('failovers are counted, with Patroni unless the standby is promoted by hand', () => {
  expect(parseArguments(['--failover'])?.failover).toEqual({ kills: 20, with_patroni: true })
  expect(parseArguments(['--failover', '--kills', '3', '--promote'])?.failover).toEqual({
    kills: 3,
    with_patroni: false,
  })
})

test('--help returns null', () => {
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
  [['--kills', '3'], /--kills and --promote belong to --failover/],
  [['--promote'], /--kills and --promote belong to --failover/],
  [['--failover', '--kills', '0'], /--kills must be a whole number from 1 to 1000, not '0'/],
  [['300'], /300/],
]
test.each(refused)('%j is rejected with a reason', (args, message) => {
  expect(() => parseArguments(args)).toThrow(message)
})

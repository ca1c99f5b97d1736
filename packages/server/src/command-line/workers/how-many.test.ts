import { expect, test } from 'vitest'
import { readSettings } from '../../core/settings.ts'
import { workersWanted, workersWithin } from './how-many.ts'

const postgres = { DATABASE_URL: 'postgres://guerdon@db.internal/guerdon' }
const gigabyte = 2 ** 30
const big = { cores: 16, memory_bytes: 64 * gigabyte }

const wanted = (env: Record<string, string>, { is_installed = true, machine = big } = {}) =>
  workersWanted(readSettings(env), { is_installed, machine })

test('an installed service on PostgreSQL uses every core; from its sources it is one process, unless told otherwise', () => {
  expect(wanted(postgres)).toBe(16)
  expect(wanted({ ...postgres, WORKERS: 'auto' }, { is_installed: false })).toBe(16)
  expect(wanted(postgres, { is_installed: false })).toBe(1)
  expect(wanted({ ...postgres, WORKERS: '3' }, { is_installed: false })).toBe(3)
})

test('the embedded database is one process, and asking for more is an error', () => {
  expect(wanted({})).toBe(1)
  expect(wanted({ WORKERS: 'auto' })).toBe(1)
  expect(wanted({ WORKERS: '1' })).toBe(1)
  expect(() => readSettings({ WORKERS: '2' })).toThrow('WORKERS: must be 1, since the embedded database is one process')
})

test('auto leaves each worker 384 MiB, and never starts none', () => {
  expect(wanted(postgres, { machine: { cores: 16, memory_bytes: gigabyte } })).toBe(2)
  expect(wanted(postgres, { machine: { cores: 16, memory_bytes: gigabyte / 8 } })).toBe(1)
  expect(wanted({ ...postgres, WORKERS: '8' }, { machine: { cores: 1, memory_bytes: gigabyte } })).toBe(8)
})

test('auto takes at most half of the connections that the database allows', () => {
  const within = (env: Record<string, string>, maxConnections: number | null) =>
    workersWithin(16, readSettings({ ...postgres, ...env }), maxConnections)
  expect(within({}, 97)).toBe(4) // 4 × 11 of 48
  expect(within({ DATABASE_CONNECTIONS: '3' }, 97)).toBe(8) // 8 × 6 of 48
  expect(within({}, 1_000)).toBe(16)
  expect(within({}, 10)).toBe(1)
  expect(within({}, null)).toBe(16)
  expect(within({ WORKERS: '16' }, 97)).toBe(16)
})

test.each(['0', '129', '-1', '2.5', 'all'])('WORKERS=%s is refused', (text) => {
  expect(() => readSettings({ ...postgres, WORKERS: text })).toThrow(
    `WORKERS: must be auto or a whole number from 1 to 128, not "${text}"`,
  )
})

import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readBytes } from './files.ts'

test('a file that does not exist fails where it is read, not before', async () => {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('uncaughtException', onFailure)
  const bytes = readBytes(join(import.meta.dirname, 'absent.jsonl'))
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  process.off('uncaughtException', onFailure)
  expect(failures).toEqual([])
  await expect(bytes[Symbol.asyncIterator]().next()).rejects.toThrow('ENOENT')
})

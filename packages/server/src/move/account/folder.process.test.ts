import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newFolder } from '../../testing/account-server.ts'
import { quick } from '../../testing/process.ts'

const module = fileURLToPath(new URL('folder.ts', import.meta.url))

/** Appends rows to a list in a process whose files may have 512 bytes times `blocks`: a write beyond that is cut short, as on a full disk. */
function appendWithin(blocks: number, path: string, rows: number) {
  const program = `
    import { openFolder } from ${JSON.stringify(module)}
    const rows = Array.from({ length: ${rows} }, (_, n) => ({ id: 'cust_' + n }))
    const folder = await openFolder(${JSON.stringify(path)})
    await folder.append('customers', 0, rows).then(console.log, ({ message }) => console.log(message))`
  const { stdout } = spawnSync(
    'sh',
    [
      '-c',
      `ulimit -f ${blocks}; exec "$@"`,
      'sh',
      process.execPath,
      ...quick.args,
      '--input-type=module',
      '-e',
      program,
    ],
    { encoding: 'utf8' },
  )
  return stdout.trim()
}

test('rows for which the disk has no room end the copy with a message that says so, and are not counted', async () => {
  const { path } = await newFolder()
  expect(appendWithin(1_000, path, 1_000)).toBe(String(readFileSync(join(path, 'customers.jsonl')).length))
  const told = appendWithin(8, path, 1_000)
  expect(told).toContain(`The folder ${path} could not be written: EFBIG: file too large`)
  expect(told).toContain('make room and run the same command again, which goes on from its last checkpoint')
})

test('a checkpoint for which the disk has no room does not replace the one before', async () => {
  const folder = await newFolder()
  await folder.saveState('download', { lists: {} })
  symlinkSync('/dev/full', join(folder.path, 'download.json.next'))
  await expect(folder.saveState('download', { lists: { customers: {} } })).rejects.toThrow(
    'no space left on device, write. There is no more room for it: make room and run the same command again',
  )
  expect(await folder.readState('download')).toEqual({ lists: {} })
})

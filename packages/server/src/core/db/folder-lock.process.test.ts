// @embedded: one process at a time opens its folder
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, openAsBlob, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, test } from 'vitest'
import { databaseKind } from '../../testing/database.ts'
import { connectPglite } from './connect.ts'
import { lockFolder } from './folder-lock.ts'

const trash: string[] = []
const processes: ChildProcessWithoutNullStreams[] = []

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL')
  for (const folder of trash) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-lock-'))
  trash.push(folder)
  return folder
}

/** Another process that locks folders on request. */
function newProcess() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../testing/hold-folder.ts', import.meta.url))])
  processes.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid as number,
    async lock(folder: string): Promise<string> {
      child.stdin.write(`${folder}\n`)
      return (await lines.next()).value as string
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const lockIn = (folder: string) => join(folder, 'guerdon.lock')
const refusalOf = (folder: string, pid: number) =>
  `The data folder ${folder} is in use by another Guerdon process (pid ${pid}). ` +
  'Stop that process, set GUERDON_DATA_DIR to another folder, or use PostgreSQL with DATABASE_URL to run several.'

test('a second process is refused with the pid of the holder and a hint what to do', async () => {
  const folder = newFolder()
  const unlock = lockFolder(folder)
  const other = newProcess()
  expect(await other.lock(folder)).toBe(refusalOf(folder, process.pid))
  unlock()
  expect(readdirSync(folder)).toEqual([])
  expect(await other.lock(folder)).toBe('locked')
  expect(() => lockFolder(folder)).toThrow(refusalOf(folder, other.pid))
})

test('a second lock in the same process is refused', () => {
  const folder = newFolder()
  const unlock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(refusalOf(folder, process.pid))
  unlock()
  lockFolder(folder)()
})

test('the lock of a killed process is replaced', async () => {
  const folder = newFolder()
  const other = newProcess()
  expect(await other.lock(folder)).toBe('locked')
  expect(() => lockFolder(folder)).toThrow('is in use')
  await other.kill()
  const unlock = lockFolder(folder)
  expect(JSON.parse(readFileSync(lockIn(folder), 'utf8'))).toMatchObject({ pid: process.pid })
  expect(readdirSync(folder)).toEqual(['guerdon.lock'])
  unlock()
})

test('a lock whose pid now belongs to another process, or to a restart of this one, is replaced', async () => {
  const folder = newFolder()
  const other = newProcess()
  await other.lock(newFolder())
  for (const pid of [other.pid, process.pid]) {
    writeFileSync(lockIn(folder), JSON.stringify({ pid, started: '1', run: 'an earlier one' }))
    lockFolder(folder)()
  }
})

test('a lock file left empty or truncated by a power cut is replaced', () => {
  const folder = newFolder()
  for (const text of ['', '{"pid":', 'null', '{}']) {
    writeFileSync(lockIn(folder), text)
    lockFolder(folder)()
  }
  expect(readdirSync(folder)).toEqual([])
})

test('a process that died while replacing a lock blocks no other process', async () => {
  const folder = newFolder()
  const dead = newProcess()
  await dead.lock(folder)
  await dead.kill()
  writeFileSync(`${lockIn(folder)}.dead`, readFileSync(lockIn(folder)))
  lockFolder(folder)()
  expect(readdirSync(folder)).toEqual([])
})

test('of six processes that find the same stale lock at once, exactly one replaces it, every time', async () => {
  const contenders = Array.from({ length: 6 }, newProcess)
  await Promise.all(contenders.map((contender) => contender.lock(newFolder()))) // all processes are running
  for (let round = 0; round < 30; round += 1) {
    const folder = newFolder()
    writeFileSync(lockIn(folder), JSON.stringify({ pid: 2 ** 30, started: '1', run: 'dead' }))
    const answers = await Promise.all(contenders.map((contender) => contender.lock(folder)))
    expect(answers.filter((answer) => answer === 'locked')).toHaveLength(1)
    expect(answers.filter((answer) => answer.startsWith(`The data folder ${folder} is in use`))).toHaveLength(5)
  }
})

test('a missing folder is a different error than a held lock', () => {
  expect(() => lockFolder('/nowhere/at/all')).toThrow('ENOENT')
})

test.runIf(databaseKind() === 'pglite')(
  'the embedded database locks its folder until it is closed, keeps its data, and lets nobody else read it',
  async () => {
    const folder = newFolder()
    const first = await connectPglite({
      folder,
      snapshot: await openAsBlob((inject('database') as { snapshot: string }).snapshot),
    })
    await expect(connectPglite({ folder })).rejects.toThrow(refusalOf(folder, process.pid))
    await first.execute('create table kept (x int); insert into kept values (7)')
    await first.close()
    expect(readdirSync(folder)).toEqual(['pglite'])
    const mode = () => statSync(join(folder, 'pglite')).mode & 0o777
    expect(mode()).toBe(0o700)
    chmodSync(join(folder, 'pglite'), 0o755) // as releases before made it
    const second = await connectPglite({ folder })
    expect((await second.execute('select x from kept')).rows).toEqual([{ x: 7 }])
    expect(mode()).toBe(0o700)
    await second.close()
  },
)

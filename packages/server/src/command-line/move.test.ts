import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { limits } from '../core/lib/limits.ts'
import { writeText } from '../move/rows/files.ts'
import { insertProject, openIdleRuntime } from '../testing/background.ts'
import { newCommands, type TestCommands } from '../testing/command.ts'
import { ownDatabase } from '../testing/nodes.ts'
import { type ExportOptions, exportCommand } from './export-project.ts'
import { type ImportOptions, importCommand } from './import-project.ts'
import { migrateCommand } from './migrate.ts'

/** The commands, and the project that they find. */
async function migrated(): Promise<{ commands: TestCommands; id: string }> {
  const commands = await newCommands()
  const id = /Project (proj_\w+)/.exec(await commands.outputOf(migrateCommand))?.[1] as string
  return { commands, id }
}

let shared: ReturnType<typeof migrated> | undefined

/** For tests that name the project, since others may import one beside it. */
function sharedInstallation(): ReturnType<typeof migrated> {
  shared ??= migrated()
  return shared
}

async function movers(installation = sharedInstallation()) {
  const { commands, id } = await installation
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const output = new PassThrough()
  return {
    id,
    folder,
    output,
    run: {
      export: (options: ExportOptions) => commands.outputOf((given) => exportCommand(given, options, output)),
      import: (file: string, options: ImportOptions, input: Readable = Readable.from([])) =>
        commands.outputOf((given) => importCommand(given, file, options, input)),
    },
  }
}

test('a project is exported to a file that only its owner may read, and imported as a copy', async () => {
  const { id, folder, run } = await movers(migrated())
  const file = join(folder, 'shop.jsonl.gz')
  expect(await run.export({ out: file, gzip: true })).toMatch(new RegExp(`^Exported \\d+ rows of .* \\(${id}\\) to `))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  expect(JSON.parse(lines[0] as string)).toMatchObject({ guerdon_export: 1, project: { id } })
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ end: true, rows: lines.length - 2 })

  const told = await run.import(file, { as: 'proj_copy1' })
  expect(told).toContain('(proj_copy1).')
  expect(told).toContain('guerdon keys create --name NAME --project proj_copy1')
  const { name } = JSON.parse(lines[0] as string).project
  const refusal = (projects: string[]) =>
    new Error(`There are several projects: name one with --project.\n${projects.join('\n')}`)
  const [first, copy] = [`  ${id}  ${name}`, `  proj_copy1  ${name}`]
  await expect(run.export({})).rejects.toThrow(refusal([first, copy].sort()))
})

test('of many projects some are named, and that there are others', async () => {
  const { database } = await ownDatabase()
  const runtime = await openIdleRuntime(database)
  for (let made = 0; made <= limits.projects_named_max; made += 1) await insertProject(runtime)
  const { message } = (await findProjectOrOnly(database.db, undefined).catch((error) => error)) as Error
  const lines = message.split('\n')
  expect(lines.slice(1, -1)).toEqual(
    Array(limits.projects_named_max).fill(expect.stringMatching(/^ {2}proj_\w+ {2}Test shop$/)),
  )
  expect(lines.at(-1)).toBe('  …')
})

test('an export is not written into a file that others have prepared', async () => {
  const { id, folder, run } = await movers()
  const [file, other] = [join(folder, 'shop.jsonl'), join(folder, 'other')]
  writeFileSync(other, 'kept')
  symlinkSync(other, `${file}.partial`)
  await run.export({ out: file, project: id })
  expect(readFileSync(other, 'utf8')).toBe('kept')
  expect(lstatSync(file).isFile()).toBe(true)
})

test('an export takes the place of an ordinary file only: not of a pipe, a device, a folder or a link', async () => {
  const { id, folder, run } = await movers()
  const [pipe, link, target] = [join(folder, 'pipe'), join(folder, 'link'), join(folder, 'target')]
  execFileSync('mkfifo', [pipe])
  writeFileSync(target, 'kept')
  symlinkSync(target, link)
  for (const out of [pipe, link, folder, '/dev/null'])
    await expect(run.export({ out, project: id }), out).rejects.toThrow(`${out} exists and is no ordinary file`)
  expect(lstatSync(pipe).isFIFO()).toBe(true)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('kept')
  await run.export({ out: target, project: id })
  expect(readFileSync(target, 'utf8')).toContain('guerdon_export')
})

test('an interrupted export leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const stop = new AbortController()
  async function* text() {
    yield 'first line\n'
    await expect.poll(() => readdirSync(folder)).toEqual(['shop.jsonl.partial'])
    stop.abort(new Error('Interrupted'))
    yield 'second line\n'
  }
  const written = writeText(text(), { to: join(folder, 'shop.jsonl'), gzip: false, signal: stop.signal })
  await expect(written).rejects.toThrow('Interrupted')
  expect(readdirSync(folder)).toEqual([])
})

test('standard output and standard input do as well as files', async () => {
  const { id, output, run } = await movers()
  expect(await run.export({ project: id })).toBe('')
  output.end()
  const exported = await text(output)
  expect(await run.import('-', { as: 'proj_copy2' }, Readable.from([Buffer.from(exported)]))).toContain('(proj_copy2).')
})

test('a failed export leaves no file, and contradicting names are refused', async () => {
  const { id, folder, run } = await movers()
  await expect(run.export({ out: join(folder, 'nowhere', 'shop.jsonl'), project: id })).rejects.toThrow('ENOENT')
  await expect(run.import('x', { as: 'proj_a', project: 'proj_b' })).rejects.toThrow('not both')
  await expect(run.import('x', { as: 'my shop' })).rejects.toThrow('The id of a project is proj_')
  await expect(run.import(join(folder, 'absent.jsonl'), {})).rejects.toThrow('ENOENT')
})

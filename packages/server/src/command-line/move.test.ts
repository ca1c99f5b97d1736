import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { newCommands } from '../testing/command.ts'
import { type ExportOptions, exportCommand } from './export-project.ts'
import { type ImportOptions, importCommand } from './import-project.ts'
import { migrateCommand } from './migrate.ts'

async function migrated() {
  const commands = await newCommands()
  const id = /Project (proj_\w+)/.exec(await commands.outputOf(migrateCommand))?.[1] as string
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
  const { id, folder, run } = await migrated()
  const file = join(folder, 'shop.jsonl.gz')
  expect(await run.export({ out: file, gzip: true })).toMatch(new RegExp(`^Exported \\d+ rows of .* \\(${id}\\) to `))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  expect(JSON.parse(lines[0] as string)).toMatchObject({ guerdon_export: 1, project: { id } })
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ end: true, rows: lines.length - 2 })

  const told = await run.import(file, { as: 'proj_copy1' })
  expect(told).toContain('(proj_copy1).')
  expect(told).toContain('guerdon keys create --name NAME --project proj_copy1')
  await expect(run.export({ project: undefined })).rejects.toThrow(
    'There are several projects: name one with --project.',
  )
})

test('an export is not written into a file that others have prepared', async () => {
  const { folder, run } = await migrated()
  const [file, other] = [join(folder, 'shop.jsonl'), join(folder, 'other')]
  writeFileSync(other, 'kept')
  symlinkSync(other, `${file}.partial`)
  await run.export({ out: file })
  expect(readFileSync(other, 'utf8')).toBe('kept')
  expect(lstatSync(file).isFile()).toBe(true)
})

test('standard output and standard input do as well as files', async () => {
  const { output, run } = await migrated()
  expect(await run.export({})).toBe('')
  output.end()
  const exported = await text(output)
  expect(await run.import('-', { as: 'proj_copy2' }, Readable.from([Buffer.from(exported)]))).toContain('(proj_copy2).')
})

test('a failed export leaves no file, and contradicting names are refused', async () => {
  const { folder, run } = await migrated()
  await expect(run.export({ out: join(folder, 'nowhere', 'shop.jsonl') })).rejects.toThrow('ENOENT')
  await expect(run.import('x', { as: 'proj_a', project: 'proj_b' })).rejects.toThrow('not both')
  await expect(run.import('x', { as: 'my shop' })).rejects.toThrow('The id of a project is proj_')
  await expect(run.import(join(folder, 'absent.jsonl'), {})).rejects.toThrow('ENOENT')
})

// @embedded: the new noun is served from it
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { databaseKind } from './database.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

// Does not use the database, so it runs for one kind only.
test.runIf(databaseKind() === 'pglite')('npm run new writes the files of a noun and registers it everywhere', () => {
  const copy = mkdtempSync(join(tmpdir(), 'guerdon-new-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const isNeeded = (path: string) => !/\.test\.ts$|\.gz$/.test(path)
  for (const path of ['scripts', 'packages/server/src', 'biome.json', 'package-lock.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isNeeded })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')

  // Biome reads the ignore file of git.
  execFileSync('git', ['init', '-q'], { cwd: copy })
  const args = ['scripts/new.mjs', 'noun', 'gift-wraps', '--module', 'incentives']
  expect(execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })).toContain('npm run generate')

  const read = (path: string) => readFileSync(join(copy, 'packages/server/src', path), 'utf8')
  for (const [path, line] of [
    ['operations.ts', '  ...giftWraps,'],
    ['schemas.ts', "export * from './incentives/gift-wraps/schema.ts'"],
    ['core/db/tables.ts', "export type * from './tables/gift-wraps.ts'"],
    ['core/db/tables.ts', '    GiftWrapTables {}'],
    ['core/db/migrate.ts', "-gift-wraps', giftWraps],"],
    ['core/lib/ids.ts', "  gift_wrap: ['gift_wrap_', 24],"],
    ['core/http/scopes.ts', "'gift-wraps'"],
    ['incentives/gift-wraps/schema.ts', 'export const GiftWrapBody'],
    ['incentives/gift-wraps/routes.ts', "path: '/v1/gift-wraps/{giftWrapId}',"],
    ['incentives/gift-wraps/store.ts', 'export async function listGiftWraps('],
    ['incentives/gift-wraps/gift-wraps.test.ts', 'a gift wrap is created, read, changed and deleted'],
  ] as const)
    expect(read(path), path).toContain(line)
})

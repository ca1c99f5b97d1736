import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))
const files = ['{packages,bench,examples,scripts,docs,docs/.vitepress}/**/*.{ts,tsx,mjs}', 'vitest.config.ts']
const notOurs = ['**/node_modules', '**/dist', '**/.vitepress/cache', 'packages/client/src/generated']

const isTest = /\.(?:test|journey)\.tsx?$|\/(?:testing|tests|journeys)\/|^vitest\.config/

/** The text of every source file by its path, `packages/server/src/core/http/errors.ts`; test files only with `tests`. */
export function sourceTexts({ tests = false } = {}): ReadonlyMap<string, string> {
  const paths = globSync(files, { cwd: root, exclude: notOurs }).map((path) => path.replaceAll('\\', '/'))
  const wanted = paths.filter((path) => tests || !isTest.test(path)).sort()
  return new Map(wanted.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** Engine and server alone: what runs as the service. */
export function serviceTexts(): ReadonlyMap<string, string> {
  return new Map([...sourceTexts()].filter(([path]) => /^packages\/(?:engine|server)\/src\//.test(path)))
}

/** Whether the pattern matches any text, except those at some paths. */
export function occurs(pattern: RegExp, texts: ReadonlyMap<string, string>, ...except: string[]): boolean {
  for (const [path, text] of texts) if (!except.includes(path) && pattern.test(text)) return true
  return false
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../..', import.meta.url))

/** The text of every source file of engine and server by its path, `server/src/http/errors.ts`; test files only with `tests`. */
export function sourceTexts({ tests = false } = {}): ReadonlyMap<string, string> {
  const paths = globSync('{engine,server}/src/**/*.ts', { cwd: packages }).map((path) => path.replaceAll('\\', '/'))
  const wanted = paths.filter((path) => tests || !/\.test\.ts$|\/testing\//.test(path)).sort()
  return new Map(wanted.map((path) => [path, readFileSync(join(packages, path), 'utf8')]))
}

/** Whether the pattern matches any text, except those at some paths. */
export function occurs(pattern: RegExp, texts: ReadonlyMap<string, string>, ...except: string[]): boolean {
  for (const [path, text] of texts) if (!except.includes(path) && pattern.test(text)) return true
  return false
}

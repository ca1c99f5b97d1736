import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CodeBlock } from './blocks.ts'
import { type Program, startProgram } from './program.ts'

const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning']

/**
 * One module of all `ts` and `js` blocks of a page: a reader pastes them into one file. It waits for its turn before each block, since a
 * block of the shell may stand between two of them.
 */
export function startModule(folder: string, env: Record<string, string>, blocks: readonly CodeBlock[]): Program {
  const file = join(folder, 'page.ts')
  const turn = `await globalThis.nextBlock()`
  writeFileSync(file, [...blocks.map(({ code }) => `${turn}\n${code}`), turn, ''].join('\n'))
  const turns = fileURLToPath(new URL('./turns.ts', import.meta.url))
  return startProgram(process.execPath, [...flags, '--import', turns, file], { cwd: folder, env })
}

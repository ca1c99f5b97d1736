import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { binary, runQuietly } from '../../../../../scripts/workspace.mjs'

export interface PageProgram {
  name: string
  blocks: ReadonlyArray<{ code: string }>
}

/** What the compiler says of the `ts` blocks of pages, each page one module: an empty text if it has no complaint. */
export async function complaintsOfCompiler(pages: readonly PageProgram[]): Promise<string> {
  // Of this process alone, and inside the repository, where the packages are found.
  const folder = new URL(`../../../../../.vitest/pages-${process.pid}/`, import.meta.url)
  mkdirSync(folder, { recursive: true })
  try {
    for (const { name, blocks } of pages)
      writeFileSync(
        new URL(`${name.replaceAll('/', '-')}.ts`, folder),
        [...blocks.map(({ code }) => code), 'export {}', ''].join('\n'),
      )
    const compilerOptions = { lib: ['es2024', 'dom', 'dom.iterable'], types: ['node'] }
    const settings = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }
    writeFileSync(new URL('tsconfig.json', folder), JSON.stringify(settings))
    return (await runQuietly([binary('typescript/bin/tsc'), '-p', fileURLToPath(folder)])).output
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

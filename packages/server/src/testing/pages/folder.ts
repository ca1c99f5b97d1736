import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

export interface PageFolder {
  path: string
  /** Where the commands of the page are, for the PATH. */
  commands: string
  remove(): void
}

/** An empty folder in which `guerdon` is a command, and in which the packages of this repository and `docs/` are found. */
export function newFolder(): PageFolder {
  const path = mkdtempSync(join(tmpdir(), 'guerdon-page-'))
  for (const name of ['node_modules', 'docs']) symlinkSync(join(root, name), join(path, name), 'junction')
  writeFileSync(join(path, 'package.json'), '{"type":"module"}')
  const commands = join(path, 'bin')
  mkdirSync(commands)
  symlinkSync(process.execPath, join(commands, 'node'))
  const guerdon = join(commands, 'guerdon')
  const main = join(root, 'packages/server/src/main.ts')
  writeFileSync(
    guerdon,
    `#!/bin/sh\nexec node --conditions=source --disable-warning=ExperimentalWarning "${main}" "$@"\n`,
  )
  chmodSync(guerdon, 0o755)
  return { path, commands, remove: () => rmSync(path, { recursive: true, force: true }) }
}

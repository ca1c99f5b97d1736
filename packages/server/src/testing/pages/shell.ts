import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failed } from './output.ts'
import { endOfBlock, type Program, startProgram } from './program.ts'

/** One bash for all `sh` blocks of a page: a variable of one block is there in the next, as in the reader's terminal. */
export function startShell(folder: string, env: Record<string, string>): Program {
  const shell = startProgram('bash', ['--noprofile', '--norc'], { cwd: folder, env })
  let blocks = 0
  return {
    ...shell,
    run(code) {
      blocks += 1
      const file = join(folder, `.block-${blocks}.sh`)
      writeFileSync(file, `${code}\ntrue\n`)
      const trap = `set -E; trap 'printf "${failed}%s\\n" "$BASH_COMMAND"' ERR`
      // Not `source … || true`: bash calls no trap for what fails on the left of `||`.
      return shell.run(`exec 2>&1; ${trap}; source ${file} < /dev/null; printf '${endOfBlock}'`)
    },
  }
}

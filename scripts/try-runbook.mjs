// Follows docs/operate/runbook.md: runs its commands in order, in one shell, and writes what they print into the page.
//   npm run try-runbook -- FOLDER [--write]
// FOLDER is where the commands run. It has the things that the page takes for granted: `old/bin/guerdon`, the packed files of the new
// release, and `environment.sh`, which is read first: DATABASE_URL of an empty PostgreSQL database, and PATH with the programs of its version.
// It needs a past release and a database server: CI does not run this.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

const [folder, option] = process.argv.slice(2)
if (!folder) {
  console.error('npm run try-runbook -- FOLDER [--write]')
  process.exit(1)
}
const page = join(root, 'docs/operate/runbook.md')
const text = readFileSync(page, 'utf8')
const step = /```sh\n(.*?)```\n\n```text\n(.*?)```/gs
const commands = [...text.matchAll(step)].map(([, block]) => block)
const mark = '--- the next step ---'
const script = [
  'source ./environment.sh',
  // Nodes that were not stopped end with the shell.
  `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`,
  'set -e',
  ...commands.map((block) => `echo '${mark}'\n${block}`),
].join('\n')
const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
  cwd: folder,
  encoding: 'utf8',
  timeout: 600_000,
})
const printed = stdout.split(`${mark}\n`).slice(1)
printed.forEach((output, at) => {
  console.log(`$ ${commands[at].trimEnd()}\n${output}`)
})
if (status !== 0 || printed.length < commands.length) {
  console.error(`step ${printed.length} of ${commands.length} failed`)
  process.exit(1)
}
if (option === '--write') {
  let at = 0
  writeFileSync(
    page,
    text.replaceAll(step, (_, block) => `\`\`\`sh\n${block}\`\`\`\n\n\`\`\`text\n${printed[at++]}\`\`\``),
  )
}
console.log(`all ${commands.length} steps succeeded`)

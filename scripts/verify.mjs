// Everything, as before a release: what .ci/run does, every test at full size and on both databases, the races behind a pooler and with a
// replica. Each part runs even when an earlier one failed.

import { runTests } from './vitest.mjs'
import { ensureInstalled, root, runNode } from './workspace.mjs'

await ensureInstalled()
const script =
  (name, ...args) =>
  () =>
    runNode([`${root}/scripts/${name}.mjs`, ...args])
const parts = {
  'types, lint and format': script('check'),
  'packages from an empty folder, globally and by npx': script('try-packages', '--global'),
  'tests on both databases': () => runTests('both', [], { env: { GUERDON_BROWSER: 'required' } }),
  'races behind a pooler': script('try-pooler'),
  'races with a replica': script('try-replica'),
}
const failed = []
for (const [name, part] of Object.entries(parts)) {
  console.log(`\n${name}`)
  const startedAt = Date.now()
  if ((await part()) !== 0) failed.push(name)
  console.log(
    `${name}: ${failed.includes(name) ? 'FAILED' : 'passed'} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
  )
}
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

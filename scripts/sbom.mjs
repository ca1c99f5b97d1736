// Writes sbom.cdx.json (CycloneDX): the package guerdon and every package that it runs on, with versions, licences and checksums
// of the lock file. It needs npm and the lock file, nothing installed.
//   npm run sbom [-- FILE]
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

const file = process.argv[2] ?? join(root, 'sbom.cdx.json')
const { name, version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'))
const all = JSON.parse(
  execFileSync(
    'npm',
    ['sbom', '--package-lock-only', `--workspace=${name}`, '--sbom-format=cyclonedx', '--loglevel=error'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e8,
    },
  ),
)
const used = reachableFrom(`${name}@${version}`)
const components = all.components
  .filter((component) => used.has(component['bom-ref']))
  // npm names a workspace after its folder.
  .map((component) => ({ ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') }))
const isService = (component) => component.name === name
const sbom = {
  ...all,
  metadata: { ...all.metadata, component: { ...components.find(isService), type: 'application' } },
  components: components.filter((component) => !isService(component)),
  dependencies: all.dependencies.filter(({ ref }) => used.has(ref)),
}
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
console.log(`${sbom.components.length} packages in ${file}`)

/** What a package needs, and what that needs. `npm sbom --omit=dev` leaves out what a tool of the workspace needs too, such as pg. */
function reachableFrom(start) {
  const needs = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const found = new Set([start])
  // A set visits what is added while it is walked.
  for (const ref of found) for (const next of needs.get(ref) ?? []) found.add(next)
  return found
}

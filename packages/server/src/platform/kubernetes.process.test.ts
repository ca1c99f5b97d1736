import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import { expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { limits } from '../core/lib/limits.ts'
import { environment } from '../core/settings.ts'

/* Checks deploy/kubernetes without a cluster: every object against the schemas of Kubernetes, and that they fit each other and the image. */

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const folder = 'deploy/kubernetes'

interface Manifest {
  apiVersion: string
  kind: string
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes are what this test compares with.
  spec: any
}

const files = readdirSync(`${root}${folder}`).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
const manifests = files.flatMap((file) =>
  parseAllDocuments(read(`${folder}/${file}`)).map((document) => document.toJS() as Manifest),
)
const only = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind) as Manifest
const settingsIn = (file: string): string[] =>
  [...read(`${folder}/${file}`).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name as string)

const models = { Deployment, Ingress, Namespace, NetworkPolicy, PodDisruptionBudget, Service, ServiceAccount }

test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
  '%s follows the schema of Kubernetes',
  (kind, manifest) => {
    const Model = models[kind as keyof typeof models] as new (data: object) => { validate(): void; apiVersion: string }
    const { apiVersion } = new Model({})
    expect(manifest.apiVersion).toBe(apiVersion)
    expect(() => new Model(manifest).validate()).not.toThrow()
  },
)

test('no manifest has a field that Kubernetes does not know', async () => {
  expect(await compile(manifests)).toBe('')
  const misspelled = structuredClone(only('Deployment'))
  misspelled.spec.template.spec.containers[0].readinesProbe = {}
  expect(await compile([misspelled])).toContain('readinesProbe')
})

test('kustomize applies every file, with settings that exist', () => {
  expect(new Set(parse(read(`${folder}/kustomization.yaml`)).resources)).toEqual(new Set(files))
  const named = [...settingsIn('config.env'), ...settingsIn('secret.env.example')]
  expect(named).toContain('DATABASE_URL')
  expect(named.filter((name) => !(name in environment))).toEqual([])
})

test('services and budgets select the pods, and ports have the names of the pods', () => {
  const { template } = only('Deployment').spec
  const { labels } = template.metadata
  const ports = template.spec.containers[0].ports.map(({ name }: { name: string }) => name)
  for (const { kind, spec } of manifests) {
    if (kind === 'Service')
      expect([spec.selector, ports]).toEqual([labels, expect.arrayContaining([spec.ports[0].targetPort])])
    if (kind === 'PodDisruptionBudget') expect(spec.selector.matchLabels).toEqual(labels)
    if (kind === 'NetworkPolicy') expect(spec.podSelector.matchLabels).toEqual(labels)
  }
})

test('pods run as the user of the image, on a read-only root, and have time to drain', () => {
  const { securityContext, containers, initContainers, terminationGracePeriodSeconds } =
    only('Deployment').spec.template.spec
  const [, user] = /^USER (\d+):/m.exec(read('Dockerfile')) as RegExpExecArray
  expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) })
  for (const container of [...containers, ...initContainers])
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  const [, drain] = /^DRAIN_SECONDS=(\d+)$/m.exec(read(`${folder}/config.env`)) as RegExpExecArray
  expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(drain) + limits.shutdown_seconds + 5)
})

/** The validators accept unknown fields, the types do not: what the compiler says about the manifests as literals. */
async function compile(objects: readonly Manifest[]): Promise<string> {
  // Inside the workspace, where the compiler finds the package.
  const cache = `${root}node_modules/.cache`
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(`${cache}/guerdon-manifests-`)
  onTestFinished(() => rmSync(place, { recursive: true }))
  const literals = objects.map(
    (object) =>
      `void (${JSON.stringify(object)} satisfies import('kubernetes-models/${object.apiVersion}').I${object.kind})`,
  )
  writeFileSync(`${place}/manifests.ts`, `${literals.join('\n')}\nexport {}\n`)
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
  const run = promisify(execFile)(process.execPath, [
    `${root}node_modules/typescript/bin/tsc`,
    ...flags,
    `${place}/manifests.ts`,
  ])
  return run.then(
    () => '',
    (failure: { stdout: string }) => failure.stdout,
  )
}

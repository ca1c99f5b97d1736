import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { limits } from '../core/lib/limits.ts'
import { environment } from '../core/settings.ts'
import { send, testService } from '../testing/app.ts'
import { until } from '../testing/background.ts'

/* Compares the dashboard and the alerts that operators install, and what the documentation says of metrics, with what is served. */

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const namesIn = (text: string) => new Set(text.match(/\b(?:guerdon|process|nodejs)_[a-z_]+[a-z]\b/g))

/** The names of all samples; those of a histogram have suffixes. */
async function servedNames(): Promise<Set<string>> {
  const { app } = await testService()
  await send(app, 'GET', '/health/live')
  // Metrics of jobs are absent while the database does not answer in time.
  const scrape = await until(async () => {
    const text = String((await send(app, 'GET', '/metrics')).body)
    return text.includes('guerdon_jobs{') ? text : undefined
  })
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)] as unknown as Array<[string, string, string]>
  return new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? [name, ...['bucket', 'sum', 'count'].map((suffix) => `${name}_${suffix}`)] : [name],
    ),
  )
}

test.each(['deploy/grafana-dashboard.json', 'deploy/prometheus-alerts.yaml', 'docs/operate/monitoring.md'])(
  '%s names only metrics that are served',
  async (path) => {
    const served = await servedNames()
    const named = namesIn(read(path))
    expect(named.size).toBeGreaterThan(5)
    expect([...named].filter((name) => !served.has(name))).toEqual([])
  },
)

test('every metric of the service is on the dashboard', async () => {
  const shown = namesIn(read('deploy/grafana-dashboard.json').replaceAll(/_(bucket|sum|count)\b/g, ''))
  const own = [...(await servedNames())].filter((name) => name.startsWith('guerdon_'))
  const isSuffixed = /_seconds_(bucket|sum|count)$/
  expect(own.filter((name) => !isSuffixed.test(name) && !shown.has(name))).toEqual([])
})

test('compose passes on settings that exist, documents its variables, and has no default password', () => {
  const compose = read('compose.yaml')
  const { services } = parse(compose, { merge: true })
  const passed = Object.keys(services['guerdon-a'].environment)
  expect(passed).toEqual(expect.arrayContaining(['DATABASE_URL', 'BASE_URL', 'TRUST_PROXY_HOPS']))
  expect(passed.filter((name) => !(name in environment))).toEqual([])

  const example = new Map(
    [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const used = new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))
  expect(used).toEqual(new Set(example.keys()))
  expect(example.get('POSTGRES_PASSWORD')).toBe('')
  for (const [, rest] of compose.matchAll(/\$\{POSTGRES_PASSWORD([^}]*)/g)) expect(rest).toMatch(/^:\?set /)
})

test('compose runs two nodes alike, which Caddy knows and which have time to drain', () => {
  const { services } = parse(read('compose.yaml'), { merge: true })
  const { 'guerdon-a': first, 'guerdon-b': second, caddy } = services
  expect(second).toEqual(first)
  expect(caddy.environment.NODES).toBe('guerdon-a:8010 guerdon-b:8010')
  expect(first).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  const drain = Number(first.environment.DRAIN_SECONDS)
  const [, interval] = /health_interval (\d+)s/.exec(read('deploy/caddy/Caddyfile')) as RegExpExecArray
  expect(drain).toBeGreaterThan(2 * Number(interval))
  expect(Number.parseInt(first.stop_grace_period, 10)).toBeGreaterThan(drain + limits.shutdown_seconds + 5)
})

test('the image is made of every workspace, names one exact base, and runs as a numbered user', () => {
  const dockerfile = read('Dockerfile')
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  const ignored = read('.dockerignore').split('\n')
  expect(workspaces.filter((workspace) => ignored.includes(workspace.split('/')[0] as string))).toEqual([])
  // Not only its node_modules: nodemailer, for one, is installed beside the server, since a tool needs another version.
  expect(dockerfile).toContain('COPY --from=dependencies /app ./')
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(new Set(bases)).toEqual(new Set(['$' + '{NODE_IMAGE}']))
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-slim(@sha256:[0-9a-f]{64})?$/m)
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
})

test('the dashboard is JSON in which every panel has an id of its own and a query', () => {
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
    panels: Array<{ id: number; type: string; targets?: Array<{ expr: string }> }>
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row')
})

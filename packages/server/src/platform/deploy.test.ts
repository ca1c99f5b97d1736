import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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

test.each(['deploy/grafana-dashboard.json', 'deploy/prometheus-alerts.yaml', 'docs/operations.md'])(
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
  const [guerdon = ''] = compose.split('\n  postgres:\n')
  const passed = [...guerdon.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name as string)
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

test('the dashboard is JSON in which every panel has an id of its own and a query', () => {
  const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
    panels: Array<{ id: number; type: string; targets?: Array<{ expr: string }> }>
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row')
})

import { expect, test } from 'vitest'
import { until } from '../testing/background.ts'
import { runGuerdon } from '../testing/process.ts'

test('serve --demo answers its port at once, with the days that are made, and ends when it is interrupted', async () => {
  const { child, output, ended } = runGuerdon(['serve', '--demo'], { PORT: '0' })
  const address = await until(() => /until then (http:\S+) shows how far it is/.exec(output())?.[1])
  const seen = new Set<number>()
  await until(async () => {
    const answer = await fetch(`${address}/health/ready`)
    expect(answer.status).toBe(503)
    const { details } = (await answer.json()) as { details: string }
    seen.add(Number(/^The demo shop is being made: (\d+) of 120 days$/.exec(details)?.[1]))
    return seen.size > 3 || undefined
  })
  expect([...seen].every((day, at, days) => at === 0 || day > Number(days[at - 1]))).toBe(true)
  expect((await fetch(`${address}/health/live`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toBe(130)
  expect(output()).toContain('Interrupted. The project')
})

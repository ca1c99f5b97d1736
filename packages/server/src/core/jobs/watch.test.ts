import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../testing/background.ts'
import { type Look, startWatch } from './watch.ts'

/** Ticks come only when a test advances the clock: any other poll was caused by `wake`. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function watching(look: Look) {
  const problems: unknown[] = []
  const watch = startWatch(look, (problem) => void problems.push(problem))
  onTestFinished(() => watch.close())
  return { watch, problems }
}

/** Enough turns of the event loop for a pending poll to start. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}

test('polls when woken, repeatedly while there is more work, and never concurrently', async () => {
  let waiting = 3
  let looks = 0
  let atOnce = 0
  const { watch } = watching(async () => {
    atOnce += 1
    expect(atOnce).toBe(1)
    await setImmediate()
    atOnce -= 1
    looks += 1
    waiting -= 1
    return waiting > 0
  })
  watch.wake()
  watch.wake()
  await until(() => (waiting <= 0 ? true : undefined))
  expect(looks).toBeGreaterThanOrEqual(3)
})

test('work that arrives during the last poll does not wait for the next tick', async () => {
  const rows = ['first']
  const done: string[] = []
  const { watch } = watching(async () => {
    const taken = rows.splice(0)
    await setImmediate()
    done.push(...taken)
    return false
  })
  watch.wake()
  rows.push('second')
  watch.wake()
  await until(() => (done.includes('second') ? true : undefined))
})

test('polls every second, because other nodes write too', async () => {
  let looks = 0
  watching(async () => {
    looks += 1
    return false
  })
  await someTurns()
  expect(looks).toBe(0)
  for (const wanted of [1, 2, 3]) {
    vi.advanceTimersByTime(1_000)
    await someTurns()
    expect(looks).toBe(wanted)
  }
})

test('a failing poll is reported once, and polling continues', async () => {
  let looks = 0
  const { watch, problems } = watching(async () => {
    looks += 1
    if (looks < 3) throw new Error(`look ${looks}`)
    return false
  })
  for (const wanted of [1, 2, 3]) {
    watch.wake()
    await someTurns()
    expect(looks).toBe(wanted)
  }
  expect(problems).toEqual([new Error('look 1')])
})

test('closing waits for the running poll and starts no other', async () => {
  let looks = 0
  let isDone = false
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const { watch } = watching(async () => {
    looks += 1
    await mayEnd
    isDone = true
    return true
  })
  watch.wake()
  let isClosed = false
  const closed = watch.close().then(() => {
    isClosed = true
  })
  await someTurns()
  expect({ isClosed, looks }).toEqual({ isClosed: false, looks: 1 })
  end()
  await closed
  expect({ looks, isDone }).toEqual({ looks: 1, isDone: true })
  watch.wake()
  vi.advanceTimersByTime(5_000)
  await someTurns()
  expect(looks).toBe(1)
})

test('may tick faster, and ends what its looks have left running after the last of them', async () => {
  const steps: string[] = []
  const watch = startWatch(
    async () => {
      steps.push('look')
      await setImmediate()
      return false
    },
    () => {},
    { tick_ms: 100, stop: async () => void steps.push('stop') },
  )
  vi.advanceTimersByTime(100)
  await watch.close()
  expect(steps).toEqual(['look', 'stop'])
})

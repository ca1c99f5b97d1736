import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { type Look, startWatch } from './watch.ts'

function watching(look: Look) {
  const problems: unknown[] = []
  const watch = startWatch(look, (problem) => void problems.push(problem))
  onTestFinished(() => watch.close())
  return { watch, problems }
}

test('looks when woken, again and again while there is more, and one look at a time', async () => {
  let waiting = 3
  let looks = 0
  let at_once = 0
  const { watch } = watching(async () => {
    at_once += 1
    expect(at_once).toBe(1)
    await setTimeout(5)
    at_once -= 1
    looks += 1
    waiting -= 1
    return waiting > 0
  })
  watch.wake()
  watch.wake()
  await until(() => (waiting <= 0 ? true : undefined), 0.9)
  expect(looks).toBeGreaterThanOrEqual(3)
})

test('what arrives during the last look is not left for the next tick', async () => {
  const rows = ['first']
  const done: string[] = []
  const { watch } = watching(async () => {
    const taken = rows.splice(0)
    await setTimeout(10)
    done.push(...taken)
    return false
  })
  watch.wake()
  rows.push('second')
  watch.wake()
  await until(() => (done.includes('second') ? true : undefined), 0.5)
})

test('looks by itself, since other nodes write too', async () => {
  let looks = 0
  watching(async () => {
    looks += 1
    return false
  })
  await until(() => (looks > 0 ? true : undefined), 2)
})

test('a look that fails is reported once, and the next ones go on', async () => {
  let looks = 0
  const { watch, problems } = watching(async () => {
    looks += 1
    if (looks < 3) throw new Error(`look ${looks}`)
    return false
  })
  for (const wanted of [1, 2, 3]) {
    watch.wake()
    await until(() => (looks >= wanted ? true : undefined), 2)
    await setTimeout(1)
  }
  expect(problems).toEqual([new Error('look 1')])
})

test('closed, it waits for the look that is going on and starts no other', async () => {
  let looks = 0
  let isDone = false
  const { watch } = watching(async () => {
    looks += 1
    await setTimeout(30)
    isDone = true
    return true
  })
  watch.wake()
  await watch.close()
  expect({ looks, isDone }).toEqual({ looks: 1, isDone: true })
  watch.wake()
  await setTimeout(5)
  expect(looks).toBe(1)
})

import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { interruptible } from './interruptible.ts'

/** As if the signal had come; the listeners of the test runner do not hear it. */
const interrupt = () => (process.listeners('SIGTERM').at(-1) as () => void)()

test('a signal ends the work with the message, and nobody listens afterwards', async () => {
  const before = process.listenerCount('SIGTERM')
  const work = interruptible('Interrupted: nothing is left.', (signal) => setTimeout(600_000, undefined, { signal }))
  interrupt()
  await expect(work).rejects.toMatchObject({ cause: { message: 'Interrupted: nothing is left.' } })
  expect(process.listenerCount('SIGTERM')).toBe(before)
})

test('work that could not be undone says so, also when it was interrupted', async () => {
  const work = interruptible('Interrupted: nothing is left.', async (signal) => {
    interrupt()
    expect(signal.aborted).toBe(true)
    throw new Error('It could not be undone.')
  })
  await expect(work).rejects.toThrow('It could not be undone.')
})

import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { freeSlots, type SlotUser } from './slots.ts'

/** A webhook with attempts that began at these times. */
const user = (answersFast: boolean, ...started: number[]): SlotUser => ({
  answers_fast: answersFast,
  is_untried: false,
  running: new Set(started.map((at) => ({ started: at }))),
})
const users = (count: number, make: () => SlotUser) => Array.from({ length: count }, make)
const mayStart = (each: SlotUser, all: SlotUser[], now: number) => freeSlots(all, now).take(each)
const ten = (at: number) => Array.from({ length: 10 }, () => at)

test('a webhook has at most ten attempts at once', () => {
  expect(mayStart(user(true, ...ten(0).slice(1)), [], 0)).toBe(true)
  const full = user(true, ...ten(0))
  expect(mayStart(full, [full], 0)).toBe(false)
})

test('slow webhooks leave half of the slots to fast ones', () => {
  const hanging = users(5, () => user(false, ...ten(0))) // 50
  expect(mayStart(user(false), hanging, 0)).toBe(false)
  expect(mayStart(user(true), hanging, 0)).toBe(true)
})

test('a webhook that answered fast and hangs now is slow after a second', () => {
  const hanging = users(5, () => user(true, ...ten(0)))
  expect(mayStart(user(false), hanging, 1_000)).toBe(true)
  expect(mayStart(user(false), hanging, 1_001)).toBe(false)
})

test('when many are slow, each gets two attempts at once, so that one more finds room', () => {
  const hanging = users(2, () => user(false, ...ten(0))) // 20
  const third = user(false, ...ten(0).slice(0, 5)) // 25: half of their share
  expect(mayStart(third, [...hanging, third], 0)).toBe(false)
  expect(mayStart(user(false, 0), [...hanging, third], 0)).toBe(true)
  expect(mayStart(user(false, 0, 0), [...hanging, third], 0)).toBe(false)
})

test('a node has a bound for all of them together', () => {
  const busy = users(limits.node_attempts_max / 10, () => user(true, ...ten(0)))
  expect(mayStart(user(true), busy, 0)).toBe(false)
  expect(mayStart(user(true), busy.slice(1), 0)).toBe(true)
})

test('what was taken counts', () => {
  const slots = freeSlots([], 0)
  const many = users(200, () => user(false))
  expect(many.filter((each) => slots.take(each))).toHaveLength(40)
  expect(slots.left()).toEqual({ fast: 60, slow: 10, tried: 0 })
  const fast = user(true)
  expect(users(20, () => fast).filter((each) => slots.take(each))).toHaveLength(10)
  expect(slots.left()).toEqual({ fast: 50, slow: 10, tried: 0 })
})

test('ten slots are left for the first attempt to webhooks that were not tried yet', () => {
  const slots = freeSlots(
    users(4, () => user(false, ...ten(0))),
    0,
  )
  const untried = users(20, () => ({ ...user(false), is_untried: true }))
  expect(slots.take(user(false))).toBe(false)
  expect(slots.take(untried[0] as SlotUser)).toBe(true)
  expect(slots.take(untried[0] as SlotUser)).toBe(false)
  expect(untried.slice(1).filter((each) => slots.take(each))).toHaveLength(9)
})

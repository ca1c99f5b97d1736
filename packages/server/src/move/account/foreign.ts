import { type Instant, parseInstant } from '../../core/lib/instant.ts'

/** An object as another service sent it: nothing about it is certain. */
export type Foreign = Readonly<Record<string, unknown>>

/** Why an object, or a part of it, is not carried over. The report counts equal reasons, so a reason names no id. */
export class LeftOut extends Error {}

export const isForeign = (value: unknown): value is Foreign =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object in a property; an empty one if there is none. */
export const part = (object: Foreign, name: string): Foreign => {
  const value = object[name]
  return isForeign(value) ? value : {}
}

export function text(object: Foreign, name: string): string | null {
  const value = object[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new LeftOut(`Property .${name} is no text`)
  // A query that asks for it would fail, and with it the whole batch.
  if (value.includes('\0')) throw new LeftOut(`Property .${name} has a character that the database cannot store`)
  return value
}

export function requiredText(object: Foreign, name: string): string {
  const value = text(object, name)
  if (value === null || value === '') throw new LeftOut(`Property .${name} is missing`)
  return value
}

/** One of our values; another service may have more of them. */
export function oneOf<const T extends string>(object: Foreign, name: string, values: readonly T[]): T {
  const value = requiredText(object, name)
  if (!(values as readonly string[]).includes(value))
    throw new LeftOut(`Property .${name} has the unknown value ${shown(value)}`)
  return value as T
}

export function integer(object: Foreign, name: string): number | null {
  const value = object[name]
  if (value === undefined || value === null) return null
  if (!Number.isSafeInteger(value)) throw new LeftOut(`Property .${name} is no integer`)
  return value as number
}

/** A count or an amount: absent is zero. */
export function amount(object: Foreign, name: string): number {
  const value = integer(object, name) ?? 0
  if (value < 0) throw new LeftOut(`Property .${name} is negative`)
  return value
}

export function instant(object: Foreign, name: string): Instant | null {
  const value = text(object, name)
  if (value === null) return null
  const parsed = parseInstant(value)
  if (parsed === null) throw new LeftOut(`Property .${name} is no date`)
  return parsed
}

/** `created_at` and `updated_at`; an object without a moment of creation gets that of the copy. */
export const moments = (object: Foreign, copiedAt: Instant) => ({
  created_at: instant(object, 'created_at') ?? copiedAt,
  updated_at: instant(object, 'updated_at'),
})

export const flag = (object: Foreign, name: string, absent: boolean): boolean => {
  const value = object[name]
  return typeof value === 'boolean' ? value : absent
}

/** An object or a list as it is, or null. */
export const shape = (object: Foreign, name: string): object | null => {
  const value = object[name]
  return typeof value === 'object' ? value : null
}

export const list = (object: Foreign, name: string): unknown[] => {
  const value = object[name]
  return Array.isArray(value) ? value : []
}

/** Text for a report: short, on one line. */
export const shown = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

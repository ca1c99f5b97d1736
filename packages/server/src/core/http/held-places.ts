import type { Awaitable } from '../lib/awaitable.ts'

/** Counts what callers keep from others for a while, such as sessions that hold codes: each takes a place until it expires. */
export interface HeldPlaces {
  /**
   * Takes a place of the owner under a name, or extends it. `wait_ms` is 0, or the time until a place is free: then none was taken.
   * `is_new`: the owner did not have the place before.
   */
  take(owner: string, name: string, at: number, ttlMs: number): Awaitable<TakenPlace>
  leave(name: string): Awaitable<void>
}

export interface TakenPlace {
  wait_ms: number
  is_new: boolean
}

/** Remembered owners at most. */
const ownersMax = 50_000

export function newHeldPlaces(placesMax: number): HeldPlaces {
  /** By owner, its places, and when each expires in Unix milliseconds. */
  const placesOf = new Map<string, Map<string, number>>()
  const ownerOf = new Map<string, string>()

  function forget(places: Map<string, number>, name: string): void {
    places.delete(name)
    ownerOf.delete(name)
  }

  return {
    take(owner, name, at, ttlMs) {
      const places = placesOf.get(owner) ?? new Map<string, number>()
      let firstEnd = Number.POSITIVE_INFINITY
      for (const [other, expiresAt] of places) {
        if (expiresAt <= at) forget(places, other)
        else firstEnd = Math.min(firstEnd, expiresAt)
      }
      const isNew = !places.has(name)
      if (isNew && places.size >= placesMax) return { wait_ms: firstEnd - at, is_new: false }
      places.set(name, at + ttlMs)
      ownerOf.set(name, owner)
      // Re-inserting keeps the map in order of last use: eviction drops the owner that was idle longest.
      placesOf.delete(owner)
      placesOf.set(owner, places)
      if (placesOf.size > ownersMax) {
        const [idle, idlePlaces] = placesOf.entries().next().value as [string, Map<string, number>]
        for (const other of idlePlaces.keys()) ownerOf.delete(other)
        placesOf.delete(idle)
      }
      return { wait_ms: 0, is_new: isNew }
    },
    leave(name) {
      const owner = ownerOf.get(name)
      const places = owner === undefined ? undefined : placesOf.get(owner)
      if (places !== undefined) forget(places, name)
    },
  }
}

import type { Awaitable } from '../lib/awaitable.ts'

/** Counts what callers keep from others for a while, such as sessions that hold codes: each takes a place until it expires. */
export interface HeldPlaces {
  /**
   * Takes a place of the owner under a name, or extends it: it never expires earlier than was said before, since what it stands for may
   * have been opened by then.
   */
  take(owner: string, name: string, at: number, ttlMs: number): Awaitable<TakenPlace>
  /** Gives back a place that has come to nothing, unless somebody has taken it since. */
  giveBack(owner: string, name: string, ticket: number): Awaitable<void>
  leave(name: string): Awaitable<void>
}

export interface TakenPlace {
  /** 0, or the time until a place is free: then none was taken. */
  wait_ms: number
  /** To give it back; 0: the owner had it before. */
  ticket: number
}

interface Place {
  expires_at: number
  /** Of who took it last. */
  ticket: number
}

/** Remembered owners at most. */
const ownersMax = 50_000

export function newHeldPlaces(placesMax: number): HeldPlaces {
  const placesOf = new Map<string, Map<string, Place>>()
  const ownerOf = new Map<string, string>()
  let tickets = 0

  function forget(owner: string, places: Map<string, Place>, name: string): void {
    places.delete(name)
    if (ownerOf.get(name) === owner) ownerOf.delete(name)
  }

  return {
    take(owner, name, at, ttlMs) {
      const places = placesOf.get(owner) ?? new Map<string, Place>()
      let firstEnd = Number.POSITIVE_INFINITY
      for (const [other, { expires_at }] of places) {
        if (expires_at <= at) forget(owner, places, other)
        else firstEnd = Math.min(firstEnd, expires_at)
      }
      const known = places.get(name)
      if (known === undefined && places.size >= placesMax) return { wait_ms: firstEnd - at, ticket: 0 }
      tickets += 1
      places.set(name, { expires_at: Math.max(known?.expires_at ?? 0, at + ttlMs), ticket: tickets })
      if (!ownerOf.has(name)) ownerOf.set(name, owner)
      // Re-inserting keeps the map in order of last use: eviction drops the owner that was idle longest.
      placesOf.delete(owner)
      placesOf.set(owner, places)
      if (placesOf.size > ownersMax) {
        const [idle, idlePlaces] = placesOf.entries().next().value as [string, Map<string, Place>]
        for (const other of [...idlePlaces.keys()]) forget(idle, idlePlaces, other)
        placesOf.delete(idle)
      }
      return { wait_ms: 0, ticket: known === undefined ? tickets : 0 }
    },
    giveBack(owner, name, ticket) {
      const places = placesOf.get(owner)
      if (places?.get(name)?.ticket === ticket) forget(owner, places, name)
    },
    leave(name) {
      const owner = ownerOf.get(name)
      const places = owner === undefined ? undefined : placesOf.get(owner)
      if (owner !== undefined && places !== undefined) forget(owner, places, name)
    },
  }
}

import { setImmediate } from 'node:timers/promises'
import { limits } from './limits.ts'

/** Long work in slices: between two of them, the event loop serves the other requests. */
export interface TimeSlice {
  /** True when the work has kept the event loop for a slice, and must pause. */
  isOver(): boolean
  /** Lets everything else run that waits, and begins a new slice. */
  pause(): Promise<void>
}

/** By elapsed time, not by CPU time: what counts is how long others have waited. */
export function newTimeSlice(): TimeSlice {
  let began = performance.now()
  return {
    isOver: () => performance.now() - began >= limits.slice_ms,
    async pause() {
      await setImmediate()
      began = performance.now()
    },
  }
}

/** Calls `work` for each item in turn, in slices. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => void,
  slice = newTimeSlice(),
): Promise<void> {
  let index = 0
  for (const item of items) {
    work(item, index)
    index += 1
    if (slice.isOver()) await slice.pause()
  }
}

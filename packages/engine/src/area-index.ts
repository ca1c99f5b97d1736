import { type Area, type Box, isInBox, type Point, union } from './location.ts'

/** Many areas, kept so that a point is compared with few of them. */
export interface AreaIndex {
  /** The ids of all areas that contain a point. */
  at(point: Point): string[]
}

/**
 * Areas in a tree of boxes. Ten thousand delivery zones: a point is found in its zone after about a hundred comparisons
 * of boxes and a handful of exact tests.
 */
export function indexAreas(areas: Iterable<readonly [id: string, area: Area]>): AreaIndex {
  const all = [...areas]
  const tree = all.length === 0 ? null : grow(all)
  return {
    at(point) {
      const found: string[] = []
      if (tree !== null) search(tree, point, found)
      return found
    },
  }
}

type Entry = readonly [id: string, area: Area]

interface Tree {
  readonly box: Box
  readonly halves: readonly Tree[]
  /** Of a tree that is too small to be halved. */
  readonly entries: readonly Entry[]
}

const entriesMax = 8

/** Halved across the longer side, by the middles of the boxes: both halves have the same number, so depth is bounded. */
function grow(entries: readonly Entry[]): Tree {
  const box = entries.map(([, { box }]) => box).reduce(union)
  if (entries.length <= entriesMax) return { box, halves: [], entries }
  const isWide = box.east - box.west > box.north - box.south
  const middle = ([, { box }]: Entry): number => (isWide ? box.west + box.east : box.south + box.north)
  const sorted = entries.toSorted((a, b) => middle(a) - middle(b))
  const half = sorted.length >> 1
  return { box, halves: [grow(sorted.slice(0, half)), grow(sorted.slice(half))], entries: [] }
}

function search({ box, halves, entries }: Tree, point: Point, found: string[]): void {
  if (!isInBox(point, box)) return
  for (const half of halves) search(half, point, found)
  for (const [id, area] of entries) if (isInBox(point, area.box) && area.contains(point)) found.push(id)
}

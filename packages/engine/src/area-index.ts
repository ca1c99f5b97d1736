import { type Area, type Box, isInBox, type Point, union } from './location.ts'

/** A spatial index: a point is compared with few of the areas. */
export interface AreaIndex {
  /** The ids of all areas that contain a point. */
  at(point: Point): string[]
}

/**
 * Builds a bounding-box tree. With ten thousand delivery zones, a lookup takes about a hundred box comparisons and a
 * handful of exact tests.
 */
export function indexAreas(areas: Iterable<readonly [id: string, area: Area]>): AreaIndex {
  const all = [...areas]
  const tree = all.length === 0 ? null : buildTree(all)
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
  /** Filled in leaves only: a node of at most `entriesMax` areas is not split. */
  readonly entries: readonly Entry[]
}

const entriesMax = 8

/**
 * Splits across the longer side at the median of the box centres: both halves have the same number of entries, so depth is
 * bounded.
 */
function buildTree(entries: readonly Entry[]): Tree {
  const box = entries.map(([, { box }]) => box).reduce(union)
  if (entries.length <= entriesMax) return { box, halves: [], entries }
  const isWide = box.east - box.west > box.north - box.south
  const middle = ([, { box }]: Entry): number => (isWide ? box.west + box.east : box.south + box.north)
  const sorted = entries.toSorted((a, b) => middle(a) - middle(b))
  const half = sorted.length >> 1
  return { box, halves: [buildTree(sorted.slice(0, half)), buildTree(sorted.slice(half))], entries: [] }
}

function search({ box, halves, entries }: Tree, point: Point, found: string[]): void {
  if (!isInBox(point, box)) return
  for (const half of halves) search(half, point, found)
  for (const [id, area] of entries) if (isInBox(point, area.box) && area.contains(point)) found.push(id)
}

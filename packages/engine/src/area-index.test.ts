import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexAreas } from './area-index.ts'
import { type Area, areaOf, isInside, type Point } from './location.ts'
import type { Shape } from './schema/index.ts'

/** A star-shaped polygon around a centre. */
function star([lng, lat]: readonly [number, number], radius: number, points: number): number[][] {
  const ring = Array.from({ length: points - 1 }, (_, index) => {
    const angle = (index / (points - 1)) * 2 * Math.PI
    const reach = index % 2 === 0 ? radius : radius / 2
    return [lng + Math.cos(angle) * reach, lat + Math.sin(angle) * reach]
  })
  return [...ring, ring[0] as number[]]
}

const polygon = (coordinates: number[][][]): Shape => ({ type: 'polygon', geojson: { type: 'Polygon', coordinates } })

/** Zones in an area of 100 × 100, adjacent and overlapping. */
function zones(count: number, points: number): Shape[] {
  const side = Math.ceil(Math.sqrt(count))
  return Array.from({ length: count }, (_, index) => {
    const middle = [((index % side) / side) * 100 - 50, (Math.floor(index / side) / side) * 100 - 50] as const
    return polygon([star(middle, 70 / side, points)])
  })
}

const read = (shapes: readonly Shape[]) => shapes.map((shape, index) => [String(index), areaOf(shape) as Area] as const)

test('with 10,000 polygons of 100 points, a lookup tests three in ten thousand of them exactly, and few boxes', () => {
  const shapes = zones(10_000, 100)
  let [boxes, tests] = [0, 0]
  const index = indexAreas(
    read(shapes).map(([id, area]) => {
      const counting: Area = {
        get box() {
          boxes += 1
          return area.box
        },
        contains(point) {
          tests += 1
          return area.contains(point)
        },
      }
      return [id, counting] as const
    }),
  )
  // Building: each box is read about ten times while sorting on each of eleven levels, 116 times in total, not 10,000.
  expect(boxes / shapes.length).toBeLessThan(300)
  boxes = 0
  // Spread evenly: multiples of two irrational numbers.
  const points = Array.from({ length: 1_000 }, (_, n) => ({
    lat: ((n * 0.754877666) % 1) * 100 - 50,
    lng: ((n * 0.569840291) % 1) * 100 - 50,
  }))
  const found = points.reduce((sum, point) => sum + index.at(point).length, 0)
  expect(found).toBeGreaterThan(500) // the points lie in the area of the zones
  expect(tests / points.length).toBeLessThan(3)
  expect(boxes / points.length).toBeLessThan(12)
})

describe('the index finds the same areas as a test of every shape', () => {
  // A coarse grid of coordinates: corners meet, edges overlap, points lie exactly on them.
  const coordinate = fc.integer({ min: -20, max: 20 })
  const square = fc
    .tuple(coordinate, coordinate, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }))
    .map(([west, south, width, height]): number[][] => [
      [west, south],
      [west + width, south],
      [west + width, south + height],
      [west, south + height],
      [west, south],
    ])
  const triangle = fc
    .tuple(coordinate, coordinate, coordinate, coordinate, coordinate, coordinate)
    .map(([a, b, c, d, e, f]) => [
      [a, b],
      [c, d],
      [e, f],
      [a, b],
    ])
  const ring = fc.oneof(square, triangle)
  const shape: fc.Arbitrary<Shape> = fc.oneof(
    fc.array(ring, { minLength: 1, maxLength: 2 }).map(polygon),
    fc
      .array(fc.array(ring, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 })
      .map((coordinates): Shape => ({ type: 'polygon', geojson: { type: 'MultiPolygon', coordinates } })),
    fc
      .tuple(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -180, max: 180 }), fc.integer({ min: 1, max: 3_000 }))
      .map(
        ([lat, lng, km]): Shape => ({
          type: 'circle',
          distance: { center: `geo:${lat},${lng}`, radius: `${km} km` },
        }),
      ),
  )
  const point: fc.Arbitrary<Point> = fc.oneof(
    fc.record({ lat: coordinate, lng: coordinate }),
    fc.record({ lat: fc.integer({ min: -90, max: 90 }), lng: fc.integer({ min: -180, max: 180 }) }),
    fc.record({
      lat: fc.double({ min: -21, max: 21, noNaN: true }),
      lng: fc.double({ min: -21, max: 21, noNaN: true }),
    }),
  )

  test('for polygons, holes, islands and circles, even over a pole', () => {
    fc.assert(
      fc.property(
        fc.array(shape, { maxLength: 60 }),
        fc.array(point, { minLength: 1, maxLength: 20 }),
        (shapes, points) => {
          const index = indexAreas(read(shapes))
          for (const at of points)
            expect(index.at(at).sort()).toEqual(
              shapes.flatMap((one, id) => (isInside(at, one) ? [String(id)] : [])).sort(),
            )
        },
      ),
      { numRuns: 200 },
    )
  })

  test('for no areas, and for 1,000 identical areas', () => {
    expect(indexAreas([]).at({ lat: 0, lng: 0 })).toEqual([])
    const same = areaOf(zones(1, 5)[0] as Shape) as Area
    const index = indexAreas(Array.from({ length: 1_000 }, (_, id) => [String(id), same] as const))
    expect(index.at({ lat: -50, lng: -50 })).toHaveLength(1_000)
    expect(index.at({ lat: 50, lng: 50 })).toEqual([])
  })
})

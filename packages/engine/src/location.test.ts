import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxOf, checkShape, isInBox, isInside, readPoint } from './location.ts'
import type { Shape } from './schema/index.ts'

const circle = (center: string, radius: string): Shape => ({ type: 'circle', distance: { center, radius } })
const polygon = (...coordinates: number[][][]): Shape => ({
  type: 'polygon',
  geojson: { type: 'Polygon', coordinates },
})
const square = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

describe('E19', () => {
  const city = circle('geo:52.2297,21.0122', '2 km')
  const land = polygon(square(10, 50, 12, 51))
  test.each<[shape: Shape, point: string, inside: boolean]>([
    [city, 'geo:52.2400,21.0300', true],
    [city, 'geo:52.2550,21.0500', false],
    [land, 'geo:50.5,11', true],
    [land, 'geo:51,11', true], // on the edge
    [land, 'geo:11,50.5', false], // latitude comes first
  ])('%j %s: %s', (shape, point, inside) => {
    expect(isInside(point, shape)).toBe(inside)
  })

  test('distances of 1.668 km and 3.813 km are compared correctly in every unit', () => {
    const reaches = (point: string, radius: string) => isInside(point, circle('geo:52.2297,21.0122', radius))
    expect([reaches('geo:52.24,21.03', '1.667 km'), reaches('geo:52.24,21.03', '1.669 km')]).toEqual([false, true])
    expect([reaches('geo:52.255,21.05', '3812 m'), reaches('geo:52.255,21.05', '3814 m')]).toEqual([false, true])
    // 1.668 km are 1.0364 miles
    expect([reaches('geo:52.24,21.03', '1.0359 mi'), reaches('geo:52.24,21.03', '1.0371 mi')]).toEqual([false, true])
  })
})

test.each<[value: unknown, expected: { lat: number; lng: number } | null]>([
  ['geo:52.5,-21', { lat: 52.5, lng: -21 }],
  ['52.5, -21', { lat: 52.5, lng: -21 }],
  [
    { lat: 1, lng: 2 },
    { lat: 1, lng: 2 },
  ],
  ['geo:90,180', { lat: 90, lng: 180 }],
  ['geo:90.1,0', null],
  ['geo:0,180.1', null],
  ['52.5', null],
  ['52.5,21,3', null],
  ['geo:52.5,  21', null],
  ['NaN,1', null],
  [{ lat: '1', lng: 2 }, null],
  [{ lat: Number.NaN, lng: 2 }, null],
  [[1, 2], null],
  [null, null],
])('the point %j', (value, expected) => {
  expect(readPoint(value)).toEqual(expected)
})

describe('polygons', () => {
  const ring = polygon(square(0, 0, 10, 10), square(2, 2, 4, 4))
  const islands: Shape = {
    type: 'polygon',
    geojson: {
      type: 'MultiPolygon',
      coordinates: [[square(0, 0, 1, 1)], [square(5, 5, 6, 6), square(5.2, 5.2, 5.8, 5.8)]],
    },
  }
  const corner = polygon([
    [0, 0],
    [10, 0],
    [10, 10],
    [5, 5], // a notch between the two upper corners
    [0, 10],
    [0, 0],
  ])
  const slope = polygon([
    [0.1, 0.1],
    [0.7, 0.3],
    [0.1, 0.5],
    [0.1, 0.1],
  ])

  const diamond = polygon([
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ])

  // Points are written as longitude, latitude here, like the rings.
  test.each<[name: string, shape: Shape, lng: number, lat: number, inside: boolean]>([
    ['between outline and hole', ring, 1, 1, true],
    ['in the hole', ring, 3, 3, false],
    ['on the edge of the hole', ring, 2, 3, true],
    ['on a corner of the hole', ring, 4, 4, true],
    ['level with corners', ring, 1, 2, true],
    ['left of it, level with its corners', ring, -1, 0, false],
    ['level with two corners of a diamond', diamond, 0.2, 0, true],
    ['under the tip of a diamond', diamond, 0, 0.9, true],
    ['in the box of a diamond', diamond, 0.9, 0.9, false],
    ['on its edge', diamond, 0.25, 0.75, true],
    ['level with the tip of a notch', corner, 2, 5, true],
    ['on the lower edge', ring, 5, 0, true],
    ['on the upper edge', ring, 5, 10, true],
    ['on the left edge', ring, 0, 5, true],
    ['on the right edge', ring, 10, 5, true],
    ['on a corner', ring, 10, 10, true],
    ['in the first part', islands, 0.5, 0.5, true],
    ['in the hole of the second part', islands, 5.5, 5.5, false],
    ['beside that hole', islands, 5.1, 5.5, true],
    ['in the common box, in no part', islands, 3, 3, false],
    ['in the notch', corner, 5, 6, false],
    ['at the tip of the notch', corner, 5, 5, true],
    ['on the slope of the notch', corner, 7, 7, true],
    ['beside the slope', corner, 7, 7.001, false],
    ['under the notch', corner, 5, 4, true],
    ['on a slope that has no exact binary coordinates', slope, 0.4, 0.2, true],
    ['a metre away from that slope', slope, 0.4, 0.19999, false],
  ])('%s', (_, shape, lng, lat, inside) => {
    expect(isInside({ lng, lat }, shape)).toBe(inside)
  })

  test('a hole that extends beyond the outline adds no area', () => {
    expect(isInside({ lng: 11, lat: 5 }, polygon(square(0, 0, 10, 10), square(8, 4, 12, 6)))).toBe(false)
  })
})

describe('bounding box', () => {
  test('is the smallest box around the outline, or around all parts', () => {
    expect(boxOf(polygon(square(10, 50, 12, 51)))).toEqual({ west: 10, south: 50, east: 12, north: 51 })
    const parts: Shape = {
      type: 'polygon',
      geojson: { type: 'MultiPolygon', coordinates: [[square(0, 0, 1, 1)], [square(5, -5, 6, 6)]] },
    }
    expect(boxOf(parts)).toEqual({ west: 0, south: -5, east: 6, north: 6 })
    expect(boxOf({} as Shape)).toBeNull()
  })

  test('of a circle contains the whole circle, even over a pole and over the 180° meridian', () => {
    const coordinate = (limit: number) =>
      fc.double({ min: -limit, max: limit, noNaN: true }).map((v) => Math.round(v * 1e4) / 1e4)
    const point = fc.record({ lat: coordinate(90), lng: coordinate(180) })
    fc.assert(
      fc.property(point, point, fc.integer({ min: 1, max: 19_000 }), ({ lat, lng }, at, km) => {
        const shape = circle(`geo:${lat},${lng}`, `${km} km`)
        fc.pre(boxOf(shape) !== null)
        const distance = greatCircle({ lat, lng }, at)
        fc.pre(Math.abs(distance - km) > 0.001)
        expect(isInside(at, shape)).toBe(distance < km)
        if (distance < km) expect(isInBox(at, boxOf(shape)!)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
    expect(isInside('geo:0,-179.5', circle('geo:0,179.5', '120 km'))).toBe(true) // 111 km over the meridian
    expect(isInside('geo:89,-90', circle('geo:89,90', '230 km'))).toBe(true) // 222 km over the pole
  })
})

/** The angle between two directions, by vectors instead of the haversine. */
function greatCircle(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const vector = ({ lat, lng }: { lat: number; lng: number }) => {
    const [p, l] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180]
    return [Math.cos(p) * Math.cos(l), Math.cos(p) * Math.sin(l), Math.sin(p)] as const
  }
  const [u, v] = [vector(a), vector(b)]
  const cross = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
  return 6371.0088 * Math.atan2(cross, u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
}

describe('faults', () => {
  const open = square(0, 0, 1, 1).slice(0, 4)
  test.each<[shape: unknown, fault: string | null]>([
    [circle('geo:1,2', '2 km'), null],
    [circle('geo:1,2', '1.5 mi'), null],
    [polygon(square(0, 0, 1, 1), square(0.2, 0.2, 0.4, 0.4)), null],
    [7, 'Property .shape must be an object'],
    [{ type: 'star' }, 'Property .shape.type must be one of: circle, polygon'],
    [{ type: 'circle' }, 'Property .shape.distance must be an object'],
    [circle('1,2', '2 km'), 'Property .shape.distance.center must be a point: geo:<latitude>,<longitude>'],
    [circle('geo:91,2', '2 km'), 'Property .shape.distance.center must be a point: geo:<latitude>,<longitude>'],
    [circle('geo:1,2', '2 ly'), 'Property .shape.distance.radius must be a number and a unit (km, m, mi)'],
    [circle('geo:1,2', '-2 km'), 'Property .shape.distance.radius must be a number and a unit (km, m, mi)'],
    [circle('geo:1,2', '0 km'), 'Property .shape.distance.radius must be a number and a unit (km, m, mi)'],
    [{ type: 'polygon' }, 'Property .shape.geojson must be an object'],
    [
      { type: 'polygon', geojson: { type: 'Point' } },
      'Property .shape.geojson.type must be one of: Polygon, MultiPolygon',
    ],
    [polygon(), 'Property .shape.geojson.coordinates must be an array of rings'],
    [
      { type: 'polygon', geojson: { type: 'MultiPolygon', coordinates: [] } },
      'Property .shape.geojson.coordinates must be an array of polygons',
    ],
    [polygon(open.slice(0, 3)), 'Property .shape.geojson.coordinates must have rings of at least 4 points'],
    [polygon(open), 'Property .shape.geojson.coordinates must have closed rings: the first point is also the last'],
    [
      polygon(square(0, 0, 181, 1)),
      'Property .shape.geojson.coordinates must have points of longitude (-180 to 180) and latitude (-90 to 90)',
    ],
  ])('%j', (shape, fault) => {
    expect(checkShape(shape)).toBe(fault)
    if (fault !== null) expect(isInside('geo:0.5,0.5', shape as Shape)).toBe(false)
  })

  test('arbitrary JSON never throws', () => {
    const coordinates = fc.array(fc.array(fc.array(fc.oneof(fc.double(), fc.jsonValue({ maxDepth: 1 })))))
    const shape = fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom('circle', 'polygon', 'x'),
        distance: fc.oneof(fc.jsonValue(), fc.record({ center: fc.string(), radius: fc.string() })),
        geojson: fc.record({
          type: fc.constantFrom('Polygon', 'MultiPolygon', 'x'),
          coordinates: fc.oneof(fc.jsonValue(), coordinates, fc.array(coordinates)),
        }),
      }),
    )
    fc.assert(
      fc.property(shape, fc.oneof(fc.jsonValue(), fc.constant('geo:1,1')), (shape, point) => {
        const fault = checkShape(shape)
        const inside = isInside(point, shape as Shape)
        if (fault !== null) expect(inside).toBe(false)
        else expect(typeof inside).toBe('boolean')
      }),
      { numRuns: 1_000 },
    )
  })
})

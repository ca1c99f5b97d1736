import { memoize } from './memoize.ts'
import type { Shape } from './schema/index.ts'
import { isRecord, toNumber } from './values.ts'

export interface Point {
  readonly lat: number
  readonly lng: number
}

/** Bounding box of a shape: every point outside the box is outside the shape. */
export interface Box {
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/**
 * Whether a point lies in a shape (docs/reference/locations.md#inside-or-outside). A point is `geo:52.23,21.01`,
 * `52.23,21.01` or `{lat, lng}`; any other value is outside every shape.
 *
 * The circle of 2 km around `geo:52.2297,21.0122` contains `geo:52.24,21.03` (1.668 km away), not `geo:52.255,21.05`.
 * /
 */
export function isInside(point: unknown, shape: Shape): boolean {
  const at = readPoint(point)
  const area = at === null ? null : areaOf(shape)
  return at !== null && area !== null && isInBox(at, area.box) && area.contains(at)
}

/** The bounding box of a shape; null for an invalid shape. */
export const boxOf = (shape: Shape): Box | null => areaOf(shape)?.box ?? null

export const isInBox = ({ lat, lng }: Point, { south, west, north, east }: Box): boolean =>
  south <= lat && lat <= north && west <= lng && lng <= east

/** The fault of a shape as `details` of an error; null when it is valid. */
export function checkShape(shape: unknown): string | null {
  const area = readShape(shape)
  return typeof area === 'string' ? `Property .shape${area}` : null
}

export function readPoint(value: unknown): Point | null {
  const [, lat, lng] = (typeof value === 'string' ? pointForm.exec(value) : null) ?? []
  const point = isRecord(value) ? { lat: value.lat, lng: value.lng } : { lat: toNumber(lat), lng: toNumber(lng) }
  return isCoordinate(point.lat, 90) && isCoordinate(point.lng, 180) ? (point as Point) : null
}

const pointForm = /^(?:geo:)?([+-]?\d{1,3}(?:\.\d+)?),\s?([+-]?\d{1,3}(?:\.\d+)?)$/

const isCoordinate = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && value >= -limit && value <= limit

/** A parsed shape; points outside its box need no exact test. */
export interface Area {
  readonly box: Box
  contains(point: Point): boolean
}

/** Shapes are parsed once and tested thousands of times. */
const memoizedArea = memoize((shape: Shape): Area | null => {
  const area = readShape(shape)
  return typeof area === 'string' ? null : area
})

/** The parsed area of a shape; null for an invalid shape, which contains no point. */
export const areaOf = (shape: Shape): Area | null => (isRecord(shape) ? memoizedArea(shape) : null)

/** The area, or the fault: which property, and what it must be. */
function readShape(shape: unknown): Area | string {
  if (!isRecord(shape)) return ' must be an object'
  const { type, distance, geojson } = shape
  if (type === 'circle') return isRecord(distance) ? readCircle(distance) : '.distance must be an object'
  if (type === 'polygon') return isRecord(geojson) ? readPolygons(geojson) : '.geojson must be an object'
  return '.type must be one of: circle, polygon'
}

const earthRadiusKm = 6371.0088
const kmPer: Readonly<Record<string, number>> = { km: 1, m: 0.001, mi: 1.609344 }
const radiusForm = /^(\d+(?:\.\d+)?) ?(km|m|mi)$/
const radians = (degrees: number): number => (degrees * Math.PI) / 180
const degrees = (radians: number): number => (radians * 180) / Math.PI

function readCircle({ center, radius }: Record<string, unknown>): Area | string {
  const middle = typeof center === 'string' && center.startsWith('geo:') ? readPoint(center) : null
  if (middle === null) return '.distance.center must be a point: geo:<latitude>,<longitude>'
  const [, length, unit = ''] = (typeof radius === 'string' ? radiusForm.exec(radius) : null) ?? []
  const radiusKm = Number(length) * (kmPer[unit] ?? 0)
  if (!(radiusKm > 0)) return '.distance.radius must be a number and a unit (km, m, mi)'
  return {
    box: boxAround(middle, radiusKm / earthRadiusKm),
    contains: (point) => distanceKm(middle, point) <= radiusKm,
  }
}

/** Great-circle distance (haversine). */
function distanceKm(a: Point, b: Point): number {
  const across = Math.sin(radians(b.lat - a.lat) / 2) ** 2
  const along = Math.sin(radians(b.lng - a.lng) / 2) ** 2
  const h = across + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * along
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(h)))
}

function boxAround({ lat, lng }: Point, angle: number): Box {
  const reach = degrees(angle) + rimDegrees
  const [south, north] = [lat - reach, lat + reach]
  const width = degrees(Math.asin(Math.sin(angle) / Math.cos(radians(lat)))) + rimDegrees
  // A circle over a pole reaches every longitude; a circle over the 180° meridian lies on both edges of the map.
  const isWhole = south <= -90 || north >= 90 || !(lng - width >= -180 && lng + width <= 180)
  return { south, north, west: isWhole ? -180 : lng - width, east: isWhole ? 180 : lng + width }
}

/** A tenth of a millimetre: a point closer to an edge counts as on it, so rounding of coordinates does not matter. */
const rimDegrees = 1e-9

/** Alternating longitude and latitude: one flat array is several times faster to iterate than pairs. */
type Ring = Float64Array

interface Polygon {
  box: Box
  outline: Ring
  holes: Ring[]
}

function readPolygons({ type, coordinates }: Record<string, unknown>): Area | string {
  if (type !== 'Polygon' && type !== 'MultiPolygon') return '.geojson.type must be one of: Polygon, MultiPolygon'
  const parts = type === 'Polygon' ? [coordinates] : coordinates
  if (!isFilled(parts)) return '.geojson.coordinates must be an array of polygons'
  const polygons: Polygon[] = []
  for (const part of parts) {
    if (!isFilled(part)) return '.geojson.coordinates must be an array of rings'
    const rings: Ring[] = []
    for (const ring of part) {
      const ringOrFault = readRing(ring)
      if (typeof ringOrFault === 'string') return ringOrFault
      rings.push(ringOrFault)
    }
    const [outline, ...holes] = rings as [Ring, ...Ring[]]
    polygons.push({ box: boxAroundRing(outline), outline, holes })
  }
  return {
    box: polygons.map(({ box }) => box).reduce(union),
    contains: (point) => polygons.some((polygon) => isInBox(point, polygon.box) && isInPolygon(point, polygon)),
  }
}

const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0

function readRing(points: unknown): Ring | string {
  if (!isFilled(points) || points.length < 4) return '.geojson.coordinates must have rings of at least 4 points'
  const ring = new Float64Array(points.length * 2)
  for (const [i, point] of points.entries()) {
    const [lng, lat] = Array.isArray(point) ? point : []
    if (!isCoordinate(lng, 180) || !isCoordinate(lat, 90))
      return '.geojson.coordinates must have points of longitude (-180 to 180) and latitude (-90 to 90)'
    ring[i * 2] = lng
    ring[i * 2 + 1] = lat
  }
  const isClosed = ring[0] === ring.at(-2) && ring[1] === ring.at(-1)
  return isClosed ? ring : '.geojson.coordinates must have closed rings: the first point is also the last'
}

function boxAroundRing(ring: Ring): Box {
  let [south, west, north, east] = [90, 180, -90, -180]
  for (let i = 0; i < ring.length; i += 2) {
    const [lng, lat] = [ring[i] as number, ring[i + 1] as number]
    west = Math.min(west, lng)
    east = Math.max(east, lng)
    south = Math.min(south, lat)
    north = Math.max(north, lat)
  }
  return { south, west, north, east }
}

export const union = (a: Box, b: Box): Box => ({
  south: Math.min(a.south, b.south),
  west: Math.min(a.west, b.west),
  north: Math.max(a.north, b.north),
  east: Math.max(a.east, b.east),
})

/** Points on an edge are inside the polygon, including the edge of a hole. */
function isInPolygon(point: Point, { outline, holes }: Polygon): boolean {
  const side = sideOf(outline, point)
  return side === 0 || (side > 0 && holes.every((hole) => sideOf(hole, point) <= 0))
}

/** 1 inside, 0 on the edge, −1 outside: even-odd rule on plane coordinates. */
function sideOf(ring: Ring, { lng, lat }: Point): -1 | 0 | 1 {
  let isWithin = false
  let [ax, ay] = [ring[0] as number, ring[1] as number]
  for (let i = 2; i < ring.length; i += 2) {
    const bx = ring[i] as number
    const by = ring[i + 1] as number
    const [dx, dy] = [bx - ax, by - ay]
    const cross = dx * (lat - ay) - dy * (lng - ax)
    const isOnLine = cross * cross <= rimDegrees * rimDegrees * (dx * dx + dy * dy)
    if (isOnLine && isBetween(lng, ax, bx) && isBetween(lat, ay, by)) return 0
    if (ay > lat !== by > lat && dy > 0 === cross > 0) isWithin = !isWithin
    ;[ax, ay] = [bx, by]
  }
  return isWithin ? 1 : -1
}

const isBetween = (value: number, a: number, b: number): boolean =>
  value >= Math.min(a, b) - rimDegrees && value <= Math.max(a, b) + rimDegrees

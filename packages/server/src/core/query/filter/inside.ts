import { boxOf, readPoint } from '@guerdon/engine'
import type { Shape } from '@guerdon/engine/schema'
import { type Expression, sql } from 'kysely'
import { type Condition, no } from './conditions.ts'

/** A value as a point: whether it is one, and its coordinates as `float8`, evaluated only if it is. */
export interface PointSql {
  is_point: Condition
  lat: Expression<unknown>
  lng: Expression<unknown>
}

/**
 * Whether a point lies in one of the shapes (docs/reference/locations.md#inside-or-outside). Performs the same operations on the
 * same numbers as `isInside` of the engine, so that a point on an edge is inside for both. Only sines may differ in their last
 * digit, which is some nanometres of the radius of a circle.
 *
 * Bounding boxes are compared first: for almost every row two comparisons decide. The shapes are parameters, so that the text of
 * the statement is the same for all of them.
 */
export function insideSql({ is_point, lat, lng }: PointSql, shapes: readonly Shape[]): Condition {
  const { circles, polygons, box } = tablesOf(shapes)
  if (box === null) return no
  // `offset 0` is an optimisation fence: the coordinates are computed once for all comparisons.
  return sql`exists (
    select from (select ${lat} as lat, ${lng} as lng where ${is_point} offset 0) as point
    where case when ${isInBox(boxSides.map((side) => sql`${box[side]}::float8`))} then
      exists (select from ${circles} where case when ${isInBoxOf('circle')} then ${isInCircle} end)
      or exists (select from ${polygons.table} where case when ${isInBoxOf('polygon')} then ${isInPolygon(polygons)} end)
    end)`
}

type Box = NonNullable<ReturnType<typeof boxOf>>
type Circle = Box & { lat: number; lng: number; radius_km: number }

/** A polygon cut into bands of latitude; the edges of each band are stored together. */
type Polygon = Box & { bands_count: number; bands_per_degree: number; first_band: number }

/** Polygons as columns of numbers, which are the parameters of the statement. */
interface Polygons {
  table: Expression<unknown>
  bands: { first: number[]; last: number[] }
  edges: { ring: number[]; ax: number[]; ay: number[]; bx: number[]; by: number[] }
}

function tablesOf(shapes: readonly Shape[]): { circles: Expression<unknown>; polygons: Polygons; box: Box | null } {
  const circles: Circle[] = []
  const polygons: Polygon[] = []
  const bands: Polygons['bands'] = { first: [], last: [] }
  const edges: Polygons['edges'] = { ring: [], ax: [], ay: [], bx: [], by: [] }
  for (const shape of shapes) {
    const box = boxOf(shape)
    if (box === null) continue // an invalid shape contains no point
    if (shape.type === 'circle') circles.push({ ...onMap(box), ...circleOf(shape) })
    else for (const rings of polygonsOf(shape)) polygons.push(cutIntoBands(rings, bands, edges))
  }
  const boxes: Box[] = [...circles, ...polygons]
  return {
    circles: table('circle', [...boxSides, 'lat', 'lng', 'radius_km'], circles),
    polygons: {
      table: table('polygon', [...boxSides, 'bands_count', 'bands_per_degree', 'first_band'], polygons),
      bands,
      edges,
    },
    box: boxes.length === 0 ? null : boxes.reduce(union),
  }
}

const boxSides = ['south', 'west', 'north', 'east'] as const

function table<K extends string>(name: string, columns: K[], rows: Array<Record<K, number>>): Expression<unknown> {
  const lists = columns.map((column) => sql`${rows.map((row) => row[column])}::float8[]`)
  return sql`unnest(${sql.join(lists)}) as ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})`
}

const union = (a: Box, b: Box): Box => ({
  south: Math.min(a.south, b.south),
  west: Math.min(a.west, b.west),
  north: Math.max(a.north, b.north),
  east: Math.max(a.east, b.east),
})

/** Clips a box to valid coordinates: values beyond them are not a point, and in no box. */
const onMap = ({ south, west, north, east }: Box): Box => ({
  south: Math.max(south, -90),
  west: Math.max(west, -180),
  north: Math.min(north, 90),
  east: Math.min(east, 180),
})

const kmPer: Readonly<Record<string, number>> = { km: 1, m: 0.001, mi: 1.609344 }

function circleOf({ distance: { center, radius } }: Extract<Shape, { type: 'circle' }>) {
  const { lat, lng } = readPoint(center) as { lat: number; lng: number }
  const [, length, unit = ''] = /^([\d.]+) ?(km|mi?)$/.exec(radius) ?? []
  return { lat: withoutUnderflow(lat), lng: withoutUnderflow(lng), radius_km: Number(length) * (kmPer[unit] as number) }
}

type Ring = Array<[lng: number, lat: number]>

/** The number of points that a shape adds to the statement; 0 for an invalid shape. */
export function pointsCount(shape: Shape): number {
  if (boxOf(shape) === null) return 0
  return shape.type === 'circle' ? 1 : polygonsOf(shape).reduce((sum, rings) => sum + rings.flat().length, 0)
}

/** The polygons of a shape, each a list of rings: its outline, and its holes. */
const polygonsOf = ({ geojson }: Extract<Shape, { type: 'polygon' }>): Ring[][] =>
  (geojson.type === 'Polygon' ? [geojson.coordinates] : geojson.coordinates) as Ring[][]

/**
 * PostgreSQL fails with an underflow error if a product is too small to represent. Coordinates closer to zero than this are
 * rounded to zero to avoid that.
 */
const smallestCoordinate = 1e-100
const withoutUnderflow = (coordinate: number): number => (Math.abs(coordinate) < smallestCoordinate ? 0 : coordinate)

type Edge = { ring: number; ax: number; ay: number; bx: number; by: number }

/**
 * Adds a polygon to the bands and edges. In a coast line of ten thousand points, a point is then compared only with the few
 * edges at its latitude.
 */
function cutIntoBands(rings: Ring[], { first, last }: Polygons['bands'], columns: Polygons['edges']): Polygon {
  const box = boxAround(rings[0] ?? [])
  const { bands, bands_per_degree } = bandsOf(rings.flatMap(edgesOf), box)
  const firstBand = first.length + 1
  for (const band of bands) {
    first.push(columns.ring.length + 1)
    for (const edge of band) for (const name of edgeColumns) columns[name].push(edge[name])
    last.push(columns.ring.length)
  }
  return { ...box, bands_count: bands.length, bands_per_degree, first_band: firstBand }
}

const edgeColumns = ['ring', 'ax', 'ay', 'bx', 'by'] as const

const edgesOf = (points: Ring, ring: number): Edge[] =>
  points.slice(1).map(([bx, by], n) => {
    const [ax, ay] = points[n] as Ring[number]
    return {
      ring,
      ax: withoutUnderflow(ax),
      ay: withoutUnderflow(ay),
      bx: withoutUnderflow(bx),
      by: withoutUnderflow(by),
    }
  })

function boxAround(ring: Ring): Box {
  const box = { south: 90, west: 180, north: -90, east: -180 }
  for (const [lng, lat] of ring) {
    box.west = Math.min(box.west, lng)
    box.east = Math.max(box.east, lng)
    box.south = Math.min(box.south, lat)
    box.north = Math.max(box.north, lat)
  }
  return box
}

/** As many bands as edges, but fewer if tall edges would otherwise be listed in too many bands. */
function bandsOf(edges: Edge[], { south, north }: Box): { bands: Edge[][]; bands_per_degree: number } {
  // A strip of some centimetres is not worth cutting, and its numbers would underflow like those that `withoutUnderflow` avoids.
  const canBeCut = north - south > 1e-6 && withoutUnderflow(south) === south
  const heights = edges.reduce((sum, { ay, by }) => sum + Math.abs(by - ay), 0) / (north - south)
  // With this count, edges are listed at most five times on average: each in the bands of its height, and at both ends.
  const count = canBeCut ? Math.max(1, Math.min(edges.length, Math.floor((3 * edges.length) / heights))) : 1
  const bandsPerDegree = count === 1 ? 0 : count / (north - south)
  // The same operations as in the statement. Rounding never reverses the order of two latitudes, so every latitude of an edge
  // lies in a band between those of its ends.
  const bandOf = (lat: number) => Math.min(count - 1, Math.max(0, Math.floor((lat - south) * bandsPerDegree)))
  const bands: Edge[][] = Array.from({ length: count }, () => [])
  for (const edge of edges) {
    const last = bandOf(Math.max(edge.ay, edge.by) + bandMargin)
    for (let band = bandOf(Math.min(edge.ay, edge.by) - bandMargin); band <= last; band += 1) bands[band]?.push(edge)
  }
  return { bands, bands_per_degree: bandsPerDegree }
}

/** A point closer to an edge than this is on the edge. */
const rimDegrees = 1e-9
/** Lists an edge also in the bands that only its rim reaches. */
const bandMargin = 2 * rimDegrees

const isInBox = ([south, west, north, east]: Expression<unknown>[]): Condition =>
  sql`point.lat between ${south} and ${north} and point.lng between ${west} and ${east}`

const isInBoxOf = (table: string): Condition => isInBox(boxSides.map((side) => sql.ref(`${table}.${side}`)))

/** Great-circle distance (haversine). */
const isInCircle: Condition = sql`2 * 6371.0088::float8 * asin(least(1, sqrt(
  sin((point.lat - circle.lat) * pi() / 180 / 2) ^ 2
  + cos(circle.lat * pi() / 180) * cos(point.lat * pi() / 180) * sin((point.lng - circle.lng) * pi() / 180 / 2) ^ 2
))) <= circle.radius_km`

/** Even-odd rule on plain coordinates. Ring 0 is the outline; edges belong to the polygon, also those of a hole. */
function isInPolygon({ bands, edges }: Polygons): Condition {
  const rim = sql`${rimDegrees}::float8`
  const lists = edgeColumns.map((name) => sql`(${edges[name]}::float8[])[own.first:own.last]`)
  return sql`(
    select bool_or(ring = 0 and is_edge)
      or bool_or(ring = 0 and is_odd) and not bool_or(ring > 0 and is_odd and not is_edge)
    from (
      select ring,
        bool_or(${isOnLine}
          and point.lng between least(ax, bx) - ${rim} and greatest(ax, bx) + ${rim}
          and point.lat between least(ay, by) - ${rim} and greatest(ay, by) + ${rim}) as is_edge,
        count(*) filter (where (ay > point.lat) <> (by > point.lat) and (by - ay > 0) = (side > 0)) % 2 = 1 as is_odd
      from (
        select edge.*, (bx - ax) * (point.lat - ay) - (by - ay) * (point.lng - ax) as side
        from (
          select (${bands.first}::int[])[band] as first, (${bands.last}::int[])[band] as last
          from (select (polygon.first_band + least(
            polygon.bands_count - 1,
            floor((point.lat - polygon.south) * polygon.bands_per_degree)))::int as band) as level
          offset 0
        ) as own, unnest(${sql.join(lists)}) as edge (ring, ax, ay, bx, by)
        offset 0
      ) as edge
      group by ring
    ) as ring)`
}

/** Squaring a very small number would fail with an underflow; it is smaller than the other side in any case. */
const isOnLine: Condition = sql`case when abs(side) < 1e-150::float8 then true
  else side * side <= ${rimDegrees * rimDegrees}::float8 * ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)) end`

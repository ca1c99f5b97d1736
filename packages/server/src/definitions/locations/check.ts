import { checkShape } from '@guerdon/engine'
import type { Shape } from '@guerdon/engine/schema'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'

/** Validates a shape and returns it as stored, without unknown fields; throws `invalid_payload` with the reason. */
export function readShape(sent: Shape): Shape {
  const fault = checkShape(sent)
  if (fault !== null) throw invalidPayload(fault)
  if (pointsOf(sent) > limits.location_points_max)
    throw invalidPayload(`Property .shape must NOT have more than ${limits.location_points_max} points`)
  return plainShape(sent)
}

/** The number of points of a shape, in all rings together. */
function pointsOf(shape: Shape): number {
  if (shape.type === 'circle') return 1
  return partsOf(shape.geojson).reduce((sum, rings) => sum + rings.reduce((points, ring) => points + ring.length, 0), 0)
}

type Geojson = Extract<Shape, { type: 'polygon' }>['geojson']
type Ring = number[][]

const partsOf = (geojson: Geojson): Ring[][] =>
  geojson.type === 'Polygon' ? [geojson.coordinates] : geojson.coordinates

/** Rounds tiny coordinates (less than a ten-thousandth of a millimetre) to 0: products of them would underflow to zero. */
export const measurable = (degrees: number): number => (Math.abs(degrees) < 1e-12 ? 0 : degrees)

function plainShape(sent: Shape): Shape {
  if (sent.type === 'circle') {
    const { center, radius } = sent.distance
    return { type: 'circle', format: 'distance', distance: { center, radius } }
  }
  const { geojson } = sent
  // GeoJSON allows an altitude after longitude and latitude; locations are two-dimensional.
  const flat = (rings: Ring[]): Ring[] => rings.map((ring) => ring.map((point) => point.slice(0, 2).map(measurable)))
  return {
    type: 'polygon',
    format: 'geojson',
    geojson:
      geojson.type === 'Polygon'
        ? { type: 'Polygon', coordinates: flat(geojson.coordinates) }
        : { type: 'MultiPolygon', coordinates: geojson.coordinates.map(flat) },
  }
}

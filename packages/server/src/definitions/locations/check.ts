import { checkShape } from '@guerdon/engine'
import type { Shape } from '@guerdon/engine/schema'
import { invalidPayload } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'

/** A shape as it is kept, or a refusal that says what is wrong with it. What is not part of a shape is left out. */
export function readShape(sent: Shape): Shape {
  const fault = checkShape(sent)
  if (fault !== null) throw invalidPayload(fault)
  if (pointsOf(sent) > limits.location_points_max)
    throw invalidPayload(`Property .shape must NOT have more than ${limits.location_points_max} points`)
  return plainShape(sent)
}

/** How many points a shape is drawn with. */
function pointsOf(shape: Shape): number {
  if (shape.type === 'circle') return 1
  return partsOf(shape.geojson).reduce((sum, rings) => sum + rings.reduce((points, ring) => points + ring.length, 0), 0)
}

type Geojson = Extract<Shape, { type: 'polygon' }>['geojson']
type Ring = number[][]

const partsOf = (geojson: Geojson): Ring[][] =>
  geojson.type === 'Polygon' ? [geojson.coordinates] : geojson.coordinates

/** Less than a ten-thousandth of a millimetre is nothing; products of such numbers could not be told from zero. */
export const measurable = (degrees: number): number => (Math.abs(degrees) < 1e-12 ? 0 : degrees)

function plainShape(sent: Shape): Shape {
  if (sent.type === 'circle') {
    const { center, radius } = sent.distance
    return { type: 'circle', format: 'distance', distance: { center, radius } }
  }
  const { geojson } = sent
  // GeoJSON allows a height after longitude and latitude; a location is flat.
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

import { type Static, type TSchema, Type } from 'typebox'
import { MapOf, Maybe, OneOf, shownAs, variants } from './common.ts'
import { FilterField, Junction } from './conditions.ts'
import { CatalogueProduct, CatalogueSku } from './order.ts'

/**
 * A filter: `{"junction": "and", "price": {"conditions": {"$more_than": [100]}}}`
 * (docs/reference/filters.md#meaning-of-the-operators).
 */
export type Filter = { junction?: string | null } & { [field: string]: unknown }
// `checkFilter` validates a filter, because it can name the fault.
export const Filter = Type.Unsafe<Filter>({
  type: 'object',
  additionalProperties: true,
  [shownAs]: (): TSchema => filterForm,
})
const filterForm = Type.Object({ junction: Junction }, { additionalProperties: FilterField })

export const Collection = variants('type', [
  Type.Object({
    type: Type.Literal('STATIC'),
    products: Type.Array(Type.Object({ id: Type.String(), object: OneOf(['product', 'sku']) })),
  }),
  Type.Object({ type: Type.Literal('AUTO_UPDATE'), filter: Filter }),
])
export type Collection = Static<typeof Collection>

const Ring = Type.Array(Type.Array(Type.Number(), { minItems: 2 }))

/** An area on the map (docs/reference/locations.md). */
export const Shape = variants('type', [
  Type.Object({
    type: Type.Literal('circle'),
    format: Maybe(Type.Literal('distance')),
    distance: Type.Object({ center: Type.String(), radius: Type.String() }),
  }),
  Type.Object({
    type: Type.Literal('polygon'),
    format: Maybe(Type.Literal('geojson')),
    geojson: variants('type', [
      Type.Object({ type: Type.Literal('Polygon'), coordinates: Type.Array(Ring) }),
      Type.Object({ type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Type.Array(Ring)) }),
    ]),
  }),
])
export type Shape = Static<typeof Shape>

export const MetadataType = OneOf([
  'string',
  'number',
  'boolean',
  'date',
  'datetime',
  'geopoint',
  'image_url',
  'object',
])
export type MetadataType = Static<typeof MetadataType>

/** The definitions of the project that this request may need. */
export const Catalogue = Type.Object({
  /** Products and SKUs that free units may add, by id. */
  products: Maybe(MapOf(CatalogueProduct)),
  skus: Maybe(MapOf(CatalogueSku)),
  collections: Maybe(MapOf(Collection)),
  locations: Maybe(MapOf(Shape)),
  /** Types of metadata keys, by schema: `{"order": {"pickup": "datetime"}}`. */
  metadata_types: Maybe(MapOf(MapOf(MetadataType))),
})
export type Catalogue = Static<typeof Catalogue>

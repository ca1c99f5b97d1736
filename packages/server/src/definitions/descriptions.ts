import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Constraints of metadata, in the spelling of `/v1` and of the management API. */
const lengths = {
  min: 'The fewest characters of a text.',
  max: 'The most characters of a text.',
  exact: 'The exact number of characters of a text.',
}

const objectType = 'Of objects: the nested schema that they follow, `unknown` for any object; null for other types.'

const definition = {
  type: 'Type of the values; it cannot change.',
  array: 'Whether the value is a list of this type.',
  optional: 'Whether the key may be missing.',
  objectType,
  object_type: objectType,
  minLength: lengths.min,
  min_length: lengths.min,
  maxLength: lengths.max,
  max_length: lengths.max,
  exactLength: lengths.exact,
  exact_length: lengths.exact,
  eq: 'The allowed values; at most 1,000.',
  ne: 'Values that are not allowed; at most 1,000.',
  lt: 'Numbers must be less than this.',
  lte: 'Numbers must be this or less.',
  gt: 'Numbers must be more than this.',
  gte: 'Numbers must be this or more.',
}

const only = (...names: Array<keyof typeof definition>) =>
  Object.fromEntries(names.map((name) => [name, definition[name]]))
const shared = only('type', 'array', 'optional', 'eq', 'ne', 'lt', 'lte', 'gt', 'gte')
const below = (table: Record<string, string>) =>
  Object.fromEntries(Object.entries(table).map(([name, text]) => [`properties.${name}`, text]))

/** Metadata schemas, custom event schemas and locations. */
export const definitionDescriptions: Descriptions = {
  '*': {
    'path.locationId': 'Id of the location.',
    'path.resource': 'What the schema is for (`customer`, `order`, …), or its id.',
    'path.metadataSchemaId': 'Id of the metadata schema.',
    'path.customEventSchemaId': 'Id of the custom event schema.',
    ...below(definition),
  },
  MetadataDefinition: {
    $: 'What the values of one metadata key must look like.',
    ...shared,
    ...only('objectType', 'minLength', 'maxLength', 'exactLength'),
  },
  ManagedMetadataDefinition: {
    $: 'What the values of one metadata key must look like.',
    ...shared,
    ...only('object_type', 'min_length', 'max_length', 'exact_length'),
  },
  MetadataSchema: {
    $: 'What the metadata of one kind of object must look like.',
    related_object: 'The kind of object, or the name of a nested schema.',
    properties: 'The definitions, by metadata key.',
    allow_defined_only: 'Whether keys without a definition are refused.',
  },
  CreateMetadataSchema: { $like: 'MetadataSchema' },
  UpdateMetadataSchema: { $like: 'MetadataSchema' },
  ManagedMetadataSchema: { $like: 'MetadataSchema' },
  CreateManagedMetadataSchema: { $like: 'MetadataSchema' },
  UpdateManagedMetadataSchema: { $like: 'MetadataSchema' },
  ManagedMetadataSchemaList: { data: 'The schemas, the oldest first.' },
  MetadataSchemaList: { schemas: 'The schemas, the oldest first.' },
  CustomEventProperty: {
    $: 'One metadata key of a custom event.',
    type: 'Type of the value.',
    optional: 'Whether the key may be missing.',
  },
  CustomEventSchema: {
    $: 'A kind of event that the shop reports, and its metadata.',
    name: 'Name of the event, as it is sent to `POST /v1/events`.',
    schema: 'What the metadata of the event must look like.',
    'schema.properties': 'The definitions, by metadata key.',
  },
  CreateCustomEventSchema: { $like: 'CustomEventSchema' },
  UpdateCustomEventSchema: { $like: 'CustomEventSchema' },
  CustomEventSchemaList: { data: 'The schemas.' },
  Location: { $: 'An area on the map.', name: 'Name of the location.', shape: 'The area.' },
  CreateLocation: { $like: 'Location' },
  UpdateLocation: { $like: 'Location' },
  Shape: {
    $: 'An area: a circle around a point, or polygons.',
    format: 'How the area is written; follows from the type.',
    distance: 'The circle.',
    'distance.center': 'Its centre as `geo:<latitude>,<longitude>`.',
    'distance.radius': 'Its radius with a unit, `km`, `m` or `mi`: `10 km`.',
    geojson: 'The polygons as GeoJSON.',
    'geojson.coordinates': 'Rings of points, each a longitude and a latitude.',
  },
}

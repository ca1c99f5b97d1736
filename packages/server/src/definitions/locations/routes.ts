import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { readShape } from './check.ts'
import { removeLocation } from './remove.ts'
import { CreateLocation, Location, LocationList, LocationQuery, UpdateLocation } from './schema.ts'
import { getLocation, insertLocation, listLocations } from './store.ts'
import { changeLocation } from './update.ts'

export const locations = [
  operation({
    id: 'listLocations',
    method: 'GET',
    path: '/v1/locations',
    summary: 'List locations',
    description:
      'Newest first unless asked otherwise. For the next page, pass `more_starting_after` as `starting_after_id`.',
    query: LocationQuery,
    reply: LocationList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { locations, total, has_more } = await listLocations(ctx, query)
      const last = locations.at(-1)
      return listed('data', locations, {
        total,
        has_more,
        ...(has_more && last !== undefined ? { more_starting_after: last.id } : {}),
      })
    },
  }),
  operation({
    id: 'createLocation',
    method: 'POST',
    path: '/v1/locations',
    summary: 'Create a location',
    description: 'A circle around a point, or polygons with holes in the form of GeoJSON.',
    body: CreateLocation,
    reply: Location,
    errors: ['invalid_payload'],
    run: (ctx, { body: { name, shape } }) => insertLocation(ctx, { name, shape: readShape(shape) }),
  }),
  operation({
    id: 'getLocation',
    method: 'GET',
    path: '/v1/locations/{locationId}',
    summary: 'Get a location',
    description: 'By id, with its shape.',
    reply: Location,
    errors: ['not_found'],
    run: (ctx, { params }) => getLocation(ctx, params.locationId),
  }),
  operation({
    id: 'updateLocation',
    method: 'PUT',
    path: '/v1/locations/{locationId}',
    summary: 'Update a location',
    description: 'Changes only what is sent; the shape is replaced as a whole.',
    body: UpdateLocation,
    reply: Location,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getLocation(ctx, params.locationId),
    run: (ctx, { target, body }) => changeLocation(ctx, target.id, body),
  }),
  operation({
    id: 'deleteLocation',
    method: 'DELETE',
    path: '/v1/locations/{locationId}',
    summary: 'Delete a location',
    description: 'Refused while a segment or a product collection asks for it.',
    reply: null,
    errors: ['not_found', 'resource_in_use'],
    target: (ctx, { params }) => getLocation(ctx, params.locationId),
    run: (ctx, { target }) => removeLocation(ctx, target.id),
  }),
]

import { Instant, InstantInput, Name, Nullable, Shape } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { CursorQuery, FilterQuery, listOf } from '../../core/query/list.ts'

export const Location = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `loc_` and 24 letters and digits.' }),
  name: Name,
  shape: Shape,
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('location'),
})
export type Location = Static<typeof Location>

export const CreateLocation = Type.Object(
  { name: Name, shape: Shape },
  {
    examples: [
      {
        name: 'Old town',
        shape: {
          type: 'circle',
          format: 'distance',
          distance: { center: 'geo:52.2297,21.0122', radius: '2 km' },
        },
      },
    ],
  },
)
export type CreateLocation = Static<typeof CreateLocation>

export const UpdateLocation = Type.Partial(Type.Pick(CreateLocation, ['name', 'shape']))
export type UpdateLocation = Static<typeof UpdateLocation>

export const LocationQuery = Type.Object({
  ...CursorQuery({ order: ['-created_at', 'created_at', '-updated_at', 'updated_at'] }),
  ...FilterQuery,
  end_date: Type.Optional(
    Type.Unsafe<string>({ ...InstantInput, description: 'Only locations that were created until then.' }),
  ),
})
export type LocationQuery = Static<typeof LocationQuery>

export const LocationList = listOf('data', Location, { total: true, cursor: true })

import { Instant, Int, Name } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf } from '../../core/query/list.ts'

export const Category = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `cat_` and 18 hexadecimal digits.' }),
  name: Name,
  hierarchy: Int({ minimum: 0 }),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('category'),
})
export type Category = Static<typeof Category>

export const CategoryBody = Type.Pick(Category, ['name', 'hierarchy'])
export type CategoryBody = Static<typeof CategoryBody>

export const CategoryList = listOf('data', Category, { total: true, cursor: true })

export const DeleteCategoryQuery = Type.Object({
  remove_from_stacking_rules: Type.Optional(
    Type.Boolean({ description: 'Also takes the category out of the stacking rules of the project.' }),
  ),
})

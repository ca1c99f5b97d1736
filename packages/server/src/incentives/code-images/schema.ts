import { OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'

export const CodeImageQuery = Type.Object({
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Pixels of a module of a QR code. A bar code is ten times as high, its modules a fifth as wide.',
    }),
  ),
  format: Type.Optional(OneOf(['png', 'svg'])),
})
export type CodeImageQuery = Static<typeof CodeImageQuery>

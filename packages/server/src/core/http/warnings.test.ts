import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { ApiError } from './errors.ts'
import { operation } from './operation.ts'
import { warn, warnings } from './warnings.ts'

const Mug = Type.Object({ size: Type.Optional(Type.Integer()), ...warnings })
const body = Type.Object({ size: Type.Optional(Type.Integer()), says: Type.Array(Type.String()) })

/** Answers the size, and warns with what was sent: as an operation in a transaction, as one that reads, and as one that saves by itself. */
const mugs = [{}, { writes: false }, { saves: true as const }].map((kind, index) =>
  operation({
    id: `fillMug${index}`,
    method: 'POST',
    path: `/v1/mugs/${index}`,
    summary: 'Fill a mug',
    body,
    reply: Mug,
    errors: ['invalid_payload', 'invalid_amount'],
    ...kind,
    run: async (ctx, { body: { size, says } }) => {
      for (const sentence of says) warn(ctx, sentence)
      if (size === 0) throw new ApiError('invalid_amount')
      return size === undefined ? {} : { size }
    },
  }),
)

test('an answer ends with what its operation warned of, each sentence once; without a warning it has no such member', async () => {
  const shop = await newProject({ extra: mugs })
  for (const path of ['/v1/mugs/0', '/v1/mugs/1', '/v1/mugs/2']) {
    const fill = async (sent: object) => (await shop.call('POST', path, sent)).body
    expect(await fill({ size: 2, says: ['Too hot.', 'Too "full".', 'Too hot.'] })).toEqual({
      size: 2,
      warnings: ['Too hot.', 'Too "full".'],
    })
    expect(await fill({ says: ['Too hot.'] })).toEqual({ warnings: ['Too hot.'] })
    expect(await fill({ size: 2, says: [] })).toEqual({ size: 2 })
    expect(await fill({ size: 0, says: ['Too hot.'] })).not.toHaveProperty('warnings')
  }
})

test('an answer that is stored under an Idempotency-Key keeps its warnings', async () => {
  const shop = await newProject({ extra: mugs })
  const fill = (path: string) =>
    shop.call('POST', path, { size: 2, says: ['Too hot.'] }, { 'idempotency-key': `key of ${path}` })
  for (const path of ['/v1/mugs/0', '/v1/mugs/2']) {
    const first = await fill(path)
    expect(first.body).toEqual({ size: 2, warnings: ['Too hot.'] })
    expect(await fill(path)).toMatchObject({ headers: { 'idempotency-replayed': 'true' }, body: first.body })
  }
})

import { expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'
import { anotherConnection, openNode, postgresUrl } from '../../testing/nodes.ts'

test('two nodes share the count: of 80 concurrent calls against a limit of 20, exactly 20 are admitted', async () => {
  const env = { RATE_LIMIT_API_CALLS: '20/P1D,50/P1W', RATE_LIMIT_API_CALLS_CYCLE: '30' }
  const shop = await newProject()
  const at = Date.now()
  const now = () => at // midnight would begin a new window
  const nodes = [
    await openNode(anotherConnection(postgresUrl()), { env, now }),
    await openNode(anotherConnection(postgresUrl()), { env, now }),
  ]
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) =>
      send((nodes[index % 2] ?? nodes[0])!.app, 'GET', '/v1/categories', undefined, shop.headers),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60)
})

import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { ok } from '../../testing/orders.ts'

test('decisions that several pages send at once are merged by consent, and none is lost', async () => {
  const shop = await newProject()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) ids.push((await shop.manage('POST', '/consents', { name: `Consent ${n}` })).body.id)
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
  const decide = (body: object) => shop.call('PUT', '/v1/customers/ann/consents', body)
  const answers = await Promise.all(ids.map((id) => decide({ [id]: true })))
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204))
  const { data } = await ok(shop, 'GET', '/v1/customers/ann/consents')
  expect(data.map(({ given }: { given: boolean }) => given)).toEqual(ids.map(() => true))

  // Of one consent, each change follows the one before: the list of decisions alternates.
  await Promise.all(Array.from({ length: 16 }, (_, n) => decide({ [ids[0] as string]: n % 2 === 0 })))
  const [first] = (await ok(shop, 'GET', '/v1/customers/ann/consents')).data
  const states = first.decisions.map(({ given }: { given: boolean }) => given)
  expect(states.every((given: boolean, n: number) => n === 0 || given !== states[n - 1])).toBe(true)
  expect(states.at(-1)).toBe(true)
})

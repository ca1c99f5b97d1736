import { expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'
import { newSignedInUser } from '../../testing/sessions.ts'

test('a session admits to /v1 in the project of X-Project-Id, as far as the role of the user goes', async () => {
  const shop = await newProject()
  const { app, runtime } = shop.service
  const viewer = await newSignedInUser(runtime, { [shop.project_id]: 'VIEWER' })
  const user = await newSignedInUser(runtime, { [shop.project_id]: 'USER' })
  const inShop = { 'x-project-id': shop.project_id }
  const category = { name: 'A', hierarchy: 1 }
  expect(await send(app, 'GET', '/v1/categories', undefined, viewer.headers)).toMatchObject({
    status: 400,
    body: { key: 'missing_project_id' },
  })
  expect(await send(app, 'GET', '/v1/categories', undefined, { ...viewer.headers, ...inShop })).toMatchObject({
    status: 200,
  })
  expect(await send(app, 'POST', '/v1/categories', category, { ...viewer.headers, ...inShop })).toMatchObject({
    status: 403,
    body: { key: 'missing_required_permission' },
  })
  expect(await send(app, 'POST', '/v1/categories', category, { ...user.headers, ...inShop })).toMatchObject({
    status: 200,
  })
})

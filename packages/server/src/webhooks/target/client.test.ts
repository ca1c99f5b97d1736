import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { atEnd } from '../../testing/closings.ts'
import { newTargetClient } from './client.ts'

test('an attempt answers the status, and what the target said', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/moved' ? 302 : 200
    request.resume().on('end', () => response.end(`to ${request.url}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = newTargetClient({ timeout_ms: 60_000, allow_private: true })
  atEnd(async () => {
    await client.close()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post = (path: string) => client.post(`${address}${path}`, {}, Buffer.from('{}'))

  expect(await post('/in?a=1#b')).toMatchObject({ status_code: 200, error: null, response_body: 'to /in?a=1' })
  expect(await post('/moved')).toMatchObject({ status_code: 302, error: 'the target redirects (302)' })
})

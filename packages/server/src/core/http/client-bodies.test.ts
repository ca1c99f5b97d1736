import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

test('the bodies under way from one network have a size together; what has arrived or broken off no longer counts', async () => {
  const shop = await newProject({
    env: { AUTH_MODE: 'either', MAX_CLIENT_BODY_BYTES: '5000000' },
    project: { client_trusted_domains: ['shop.test'] },
  })
  const { app } = shop.service
  const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const body = JSON.stringify({ order: { amount: 100 } })
  const head = (length: string) =>
    [
      'POST /client/v1/qualifications HTTP/1.1',
      'Host: shop.test',
      'Origin: https://shop.test',
      `X-Client-Application-Id: ${shop.client_id}`,
      `X-Client-Token: ${shop.client_token}`,
      'Content-Type: application/json',
      length,
      '\r\n',
    ].join('\r\n')
  const begin = async (length: string): Promise<Socket> => {
    const socket = connect(Number(address.port), address.hostname)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(head(length))
    return socket
  }
  const status = async (): Promise<number> => {
    const socket = await begin(`Content-Length: ${body.length}`)
    socket.write(body)
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return Number(bytes.toString().slice(9, 12))
  }
  expect(await status()).toBe(200)
  // One may be as large as the setting says, and a body without a length counts as such; nothing else fits beside it.
  const unfinished = await begin('Transfer-Encoding: chunked')
  await expect.poll(status).toBe(429)
  unfinished.destroy()
  await expect.poll(status).toBe(200)
  const complete = await begin('Content-Length: 4194304')
  await expect.poll(status).toBe(429)
  complete.write(body.padEnd(4_194_304))
  await expect.poll(status).toBe(200)
})

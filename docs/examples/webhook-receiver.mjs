// Receives webhooks and prints each event once: WEBHOOK_TOKEN=… PORT=8080 node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_TOKEN, PORT = '8080' } = process.env
const done = new Set() // in production: a table with a unique event id, written in the transaction of the work

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = request.headers
  const expected = createHmac('sha256', WEBHOOK_TOKEN).update(`${id}.${seconds}.`).update(body).digest()
  const isSigned = signatures.split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace('v1,', ''), 'base64')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
  const isRecent = Math.abs(Date.now() / 1_000 - Number(seconds)) < 300
  if (!isSigned || !isRecent) return response.writeHead(401).end()
  response.writeHead(204).end() // in production: after the event is stored, before the work begins
  const { type, event } = JSON.parse(body.toString())
  if (done.has(event.id)) return
  done.add(event.id)
  console.log(event.id, type, event.entity_id)
}).listen(Number(PORT), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`)
})

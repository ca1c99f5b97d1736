// Receives webhooks and prints each event once: WEBHOOK_TOKEN=… PORT=8080 node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_TOKEN, PORT = '8080' } = process.env
if (!WEBHOOK_TOKEN) {
  console.error('Set WEBHOOK_TOKEN to the webhook_token of the project.')
  process.exit(1)
}
const maxBytes = 1_048_576
const done = new Set() // in production: a table with a unique event id, written in the transaction of the work

createServer(async (request, response) => {
  const parts = []
  let size = 0
  try {
    for await (const part of request) {
      size += part.length
      if (size <= maxBytes) parts.push(part)
    }
  } catch {
    return response.writeHead(400).end() // the caller closed the connection before the end of the body
  }
  if (size > maxBytes) return response.writeHead(413).end()
  const body = Buffer.concat(parts)
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = request.headers
  const expected = createHmac('sha256', WEBHOOK_TOKEN).update(`${id}.${seconds}.`).update(body).digest()
  const isSigned = signatures.split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace('v1,', ''), 'base64')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
  const isRecent = Math.abs(Date.now() / 1_000 - Number(seconds)) < 300
  if (!isSigned || !isRecent) return response.writeHead(401).end()
  response.writeHead(204).end() // in production: after the event is stored, before the work begins
  const { type, event, test } = JSON.parse(body.toString())
  if (test) return console.log('test', type)
  if (done.has(event.id)) return
  done.add(event.id)
  console.log(event.id, type, event.entity_id)
}).listen(Number(PORT), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`)
})

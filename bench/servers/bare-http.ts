// The first baseline: Node's own HTTP server, which always answers the same kilobyte of JSON.
import { createServer } from 'node:http'
import { sample } from './sample.ts'

const text = JSON.stringify(sample)
createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))

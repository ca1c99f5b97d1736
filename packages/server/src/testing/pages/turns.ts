import { createInterface } from 'node:readline'
import { refused } from './output.ts'
import { endOfBlock } from './program.ts'

// Loaded before the module of a page (module.ts): one line on standard input is the turn of one block.

const turns = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let isFirst = true

async function nextBlock(): Promise<void> {
  if (!isFirst) process.stdout.write(endOfBlock)
  isFirst = false
  await turns.next()
}

/** A call that is refused leaves a mark in the output: a page that ignores the result would otherwise pass. */
const send = globalThis.fetch
async function fetchAndMark(...args: Parameters<typeof fetch>): Promise<Response> {
  const answer = await send(...args)
  if (answer.status < 400) return answer
  const { key = String(answer.status) } = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { key?: string }
  process.stdout.write(`${refused}${key}\n`)
  return answer
}

Object.assign(globalThis, { nextBlock, fetch: fetchAndMark })

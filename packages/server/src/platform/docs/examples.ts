import { readFileSync } from 'node:fs'

/** A call of an operation and its reply, as the tests made it (`npm run examples`). */
export interface Example {
  /** Absent beside a refusal, which shows only how it is worded. */
  request?: ExampleRequest
  reply: ExampleReply
}

export interface ExampleRequest {
  /** By the name of the path parameter. */
  path?: Record<string, string>
  /** As in the address, without the question mark. */
  query?: string
  /** The header `Prefer`. */
  prefer?: string
  body?: unknown
}

export interface ExampleReply {
  body?: unknown
  /** Of a file: its beginning, if it is text. */
  text?: string
  media_type?: string
  location?: string
}

/** By operation, then by status. */
export type Examples = Record<string, Record<string, Example>>

export const examplesFile = new URL('./examples.json', import.meta.url)

export const readExamples = (): Examples => JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples

/** Of the examples of an operation, that of the reply that callers hope for. */
export const successOf = (examples: Record<string, Example>): Example | undefined =>
  Object.entries(examples).find(([status]) => Number(status) < 400)?.[1]

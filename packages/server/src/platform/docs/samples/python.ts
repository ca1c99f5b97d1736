import type { SampleBody, SampleCall } from './call.ts'
import { literal, type Notation } from './literal.ts'

const notation: Notation = {
  object: ['{', '}'],
  list: ['[', ']'],
  emptyObject: '{}',
  pair: (key, value) => `${JSON.stringify(key)}: ${value}`,
  text: (value) => JSON.stringify(value),
  words: { true: 'True', false: 'False', null: 'None' },
}

/** A call with the library requests. */
export function pythonSample({ operation: { method }, path, query, headers, body }: SampleCall): string {
  const pairs = query.map(([name, value]) => `        (${JSON.stringify(name)}, ${JSON.stringify(value)}),\n`)
  return `import os

import requests

reply = requests.${method.toLowerCase()}(
    os.environ["GUERDON_URL"] + ${JSON.stringify(path)},
    headers={
${headers.map((header) => `        ${JSON.stringify(header.name)}: ${headerValue(header)},\n`).join('')}    },
${pairs.length === 0 ? '' : `    params=[\n${pairs.join('')}    ],\n`}${body === undefined ? '' : bodyLines(body)})
reply.raise_for_status()
print(reply.text)`
}

function headerValue({ text, before = '', variable }: SampleCall['headers'][number]): string {
  if (text !== undefined) return JSON.stringify(text)
  const value = `os.environ["${variable}"]`
  return before === '' ? value : `${JSON.stringify(before)} + ${value}`
}

function bodyLines(body: SampleBody): string {
  if (body.kind === 'json') return `    json=${literal(body.value, notation, '    ')},\n`
  const data =
    body.fields.length === 0 ? '' : `    data=${literal(Object.fromEntries(body.fields), notation, '    ')},\n`
  const files = body.kind === 'form' ? [] : body.files.map((name) => `"${name}": open("${name}.csv", "rb")`)
  return `${data}${files.length === 0 ? '' : `    files={${files.join(', ')}},\n`}`
}

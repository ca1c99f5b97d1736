import type { SampleBody, SampleCall } from './call.ts'
import { literal, type Notation } from './literal.ts'

const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const notation: Notation = {
  object: ['[', ']'],
  list: ['[', ']'],
  emptyObject: 'new stdClass()', // an empty array would be written as a list
  pair: (key, value) => `${text(key)} => ${value}`,
  text,
  words: { true: 'true', false: 'false', null: 'null' },
}

/** A call with the extension curl. */
export function phpSample({ operation: { method }, path, query, headers, body }: SampleCall): string {
  const address = query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`
  const headerLines = [
    ...(body?.kind === 'json' ? ["        'Content-Type: application/json',\n"] : []),
    ...headers.map((header) => `        ${headerText(header)},\n`),
  ]
  return `<?php

$call = curl_init(getenv('GUERDON_URL') . ${text(address)});
curl_setopt_array($call, [
    CURLOPT_CUSTOMREQUEST => '${method}',
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
${headerLines.join('')}    ],
${body === undefined ? '' : `    CURLOPT_POSTFIELDS => ${bodyText(body)},\n`}]);
echo curl_exec($call);`
}

function headerText({ name, text: value, before = '', variable }: SampleCall['headers'][number]): string {
  return value === undefined ? `'${name}: ${before}' . getenv('${variable}')` : text(`${name}: ${value}`)
}

function bodyText(body: SampleBody): string {
  switch (body.kind) {
    case 'json':
      return `json_encode(${literal(body.value, notation, '    ')})`
    case 'form':
      return `http_build_query(${literal(Object.fromEntries(body.fields), notation, '    ')})`
    case 'multipart': {
      const parts = [
        ...body.files.map((name) => `'${name}' => new CURLFile('${name}.csv')`),
        ...body.fields.map(([name, value]) => notation.pair(name, text(value))),
      ]
      return `[${parts.join(', ')}]`
    }
  }
}

import type { SampleBody, SampleCall } from './call.ts'

export function curlSample({ operation: { method }, path, query, headers, body }: SampleCall): string {
  const address = query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$GUERDON_URL${address.replaceAll('$', '\\$')}"`,
    ...headers.map(({ name, text, before = '', variable }) =>
      text === undefined ? `-H "${name}: ${before}$${variable}"` : `-H "${name}: ${text}"`,
    ),
    ...(body === undefined ? [] : bodyLines(body)),
  ]
  return lines.join(' \\\n  ')
}

function bodyLines(body: SampleBody): string[] {
  switch (body.kind) {
    case 'json':
      return ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body.value, null, 2))}`]
    case 'form':
      return body.fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
    case 'multipart':
      return [
        ...body.files.map((name) => `-F '${name}=@${name}.csv'`),
        ...body.fields.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
      ]
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

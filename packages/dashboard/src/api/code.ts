import type { Operations, Routes } from '@guerdon/client'
import { type Input, type OperationName, requestOf } from './client.ts'
import { appKey, fetchToken } from './fetch-token.ts'

const managementKey = '-H "X-Management-Id: $MANAGEMENT_ID" -H "X-Management-Token: $MANAGEMENT_TOKEN"'

/** The call as a program would make it, with the placeholders of the keys. */
export function curlOf<Name extends OperationName>(origin: string, name: Name, input: Input<Name>): string {
  const { method, url, body } = requestOf(name, input)
  const isManagement = url.startsWith('/management/')
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${quoted(`${origin}${url}`)}'`,
    isManagement ? managementKey : `${appKey} -H "Authorization: Bearer $TOKEN"`,
  ]
  if (body instanceof FormData) {
    for (const [field, value] of body)
      lines.push(`-F '${quoted(`${field}=${value instanceof File ? `@${value.name}` : value}`)}'`)
  } else if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '${quoted(JSON.stringify(body, null, 2))}'`)
  }
  const token = isManagement ? [] : fetchToken(origin, appKey, 'api')
  return [...token, lines.join(' \\\n  ')].join('\n')
}

const quoted = (text: string) => text.replaceAll("'", String.raw`'\''`)

/** The method of `@guerdon/client` that calls an operation: the operation's id. */
export type MethodOf<Name extends OperationName> = {
  [Id in keyof Operations]: Operations[Id] extends Routes[Name] ? Id : never
}[keyof Operations]

/** The call with `@guerdon/client`, which fetches a token where one is wanted. */
export function programOf<Name extends OperationName>(
  origin: string,
  method: MethodOf<Name>,
  { path, query, body }: { path?: unknown; query?: unknown; body?: unknown },
): string {
  const args = [path, body ?? query].filter((argument) => argument !== undefined)
  return `import { createGuerdon, unwrap } from '@guerdon/client'

const guerdon = createGuerdon({
  baseUrl: '${origin}',
  applicationId: process.env.APP_ID ?? '',
  secretKey: process.env.APP_TOKEN ?? '',
})

console.log(unwrap(await guerdon.${method}(${args.map(literal).join(', ')})))`
}

/** JSON with the quotes that TypeScript does not need left out. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([a-z_]\w*)":/gim, '$1$2:')
}

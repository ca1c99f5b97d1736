import { type Input, type OperationName, requestOf } from './client.ts'

const appKey = `-H "X-App-Id: $APP_ID" -H "X-App-Token: $APP_TOKEN"`
const managementKey = `-H "X-Management-Id: $MANAGEMENT_ID" -H "X-Management-Token: $MANAGEMENT_TOKEN"`

/** The call as a program would make it, with the placeholders of the keys. */
export function curlOf<Name extends OperationName>(name: Name, input: Input<Name>): string {
  const { method, url, body } = requestOf(name, input)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${quoted(`${window.location.origin}${url}`)}'`,
    url.startsWith('/management/') ? managementKey : appKey,
  ]
  if (body instanceof FormData) {
    for (const [field, value] of body)
      lines.push(`-F '${quoted(`${field}=${value instanceof File ? `@${value.name}` : value}`)}'`)
  } else if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '${quoted(JSON.stringify(body, null, 2))}'`)
  }
  return lines.join(' \\\n  ')
}

const quoted = (text: string) => text.replaceAll("'", String.raw`'\''`)

/**
 * The call with the public client library. `method` is the library's, such as `validations.validateStackable`; `args` are what
 * it takes.
 */
export function sdkOf(method: string, args: readonly unknown[]): string {
  const client = `import { VoucherifyServerSide } from '@voucherify/sdk'

const client = VoucherifyServerSide({
  apiUrl: '${window.location.origin}',
  applicationId: process.env.APP_ID!,
  secretKey: process.env.APP_TOKEN!,
})
`
  return `${client}\nawait client.${method}(${args.map((arg) => literal(arg)).join(', ')})`
}

/** JSON with the quotes that TypeScript does not need left out. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([a-z_]\w*)":/gim, '$1$2:')
}

import {
  continuesAfterId,
  continuesByCursor,
  continuesByPage,
  isDownload,
  isSafe,
  isTracked,
  methods,
  takesBody,
  takesForm,
  takesKey,
  takesQuery,
} from '../src/operation.ts'
import { type Operation, resolved } from './document.ts'
import { byFamily } from './families.ts'
import { listOf, type Paging } from './lists.ts'
import type { Schema } from './schema-types.ts'

/** Operations other than GET without an idempotency key that change nothing, so that a lost answer may be asked for again. */
const readsByPost = new Set([
  'checkEligibility',
  'checkEligibilityOnClient',
  'estimatePoints',
  'examineCampaignsQualification',
  'examineVouchersQualification',
  // A token that nobody received expires by itself.
  'generateOauthToken',
  'introspectOauthToken',
])

/** src/generated/tree.ts: what the client must know of each operation at run time, as `readTree` of src/operation.ts reads it. */
export function operationTrees(operations: Operation[], schemas: Record<string, Schema>): string {
  const trees = byFamily(operations).map(
    ({ family, members }) => `/** ${family.about} */\nexport const ${family.tree} = \`${treeOf(members, schemas)}\`\n`,
  )
  return trees.join('\n')
}

function treeOf(operations: Operation[], schemas: Record<string, Schema>): string {
  const entries = new Map<string, string[]>()
  for (const operation of operations) {
    const segments = operation.path.slice(1).split('/')
    for (const depth of segments.keys()) {
      const path = segments.slice(0, depth + 1).join('/')
      if (!entries.has(path)) entries.set(path, [])
    }
    entries.get(segments.join('/'))?.push(`${traitsOf(operation, schemas)}:${operation.id}`)
  }
  const lines = [...entries].sort(([one], [other]) => compare(one.split('/'), other.split('/')))
  return lines
    .map(([path, names]) => {
      const segments = path.split('/')
      // In one order everywhere, since texts that are alike compress better.
      names.sort((one, other) => letters.indexOf(one[0] as string) - letters.indexOf(other[0] as string))
      return [' '.repeat(segments.length - 1) + segments.at(-1), ...names].join(' ')
    })
    .join('\n')
}

const letters = Object.keys(methods)

/** Segment by segment, so that what lies below a path follows it. */
function compare(one: string[], other: string[]): number {
  const at = one.findIndex((segment, index) => segment !== other[index])
  if (at < 0) return one.length - other.length
  return other[at] === undefined || (one[at] as string) > other[at] ? 1 : -1
}

const pagingLetters: Record<Paging, string> = {
  after: continuesAfterId,
  page: continuesByPage,
  cursor: continuesByCursor,
  once: '',
}

const isFile = (mediaType: string) => mediaType !== 'application/json'

function traitsOf(operation: Operation, schemas: Record<string, Schema>): string {
  const { id, body, queryParameters, replies } = operation
  const [method] = Object.entries(methods).find(([, name]) => name === operation.method) ?? []
  if (method === undefined) throw new Error(`${id}: the client does not know ${operation.method}`)
  const input = body ? (body.type === 'form' ? takesForm : takesBody) : queryParameters.length > 0 ? takesQuery : ''
  const repetition = operation.takesKey ? takesKey : readsByPost.has(id) ? isSafe : ''
  const download = replies.some(({ content }) => content && Object.keys(content).some(isFile)) ? isDownload : ''
  const list = listOf(operation, schemas)
  const tracking = operation.path.startsWith('/client/') && takesTrackingId(operation, schemas) ? isTracked : ''
  // How a list continues comes last, where src/each.ts looks for it.
  return [method, input, repetition, download, tracking, list ? pagingLetters[list.paging] : ''].join('')
}

function takesTrackingId({ body, queryParameters }: Operation, schemas: Record<string, Schema>): boolean {
  return body
    ? resolved(body.schema, schemas).properties?.tracking_id !== undefined
    : queryParameters.some(({ name }) => name === 'tracking_id')
}

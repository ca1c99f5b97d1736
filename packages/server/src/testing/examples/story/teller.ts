import type { FastifyInstance } from 'fastify'
import { processSegments } from '../../../audience/segments/worker.ts'
import { documentOf } from '../../../document.ts'
import { workOnExport } from '../../../exports/work.ts'
import { operations } from '../../../operations.ts'
import type { ExampleRequest } from '../../../platform/docs/examples.ts'
import { type PlacedOperation, resourcesOf } from '../../../platform/docs/outline.ts'
import { type SampleBody, type SampleCall, sampleCall } from '../../../platform/docs/samples/call.ts'
import { asyncActions } from '../../../work.ts'
import { send } from '../../app.ts'
import { runAsyncActions } from '../../background.ts'
import { untilFinal } from '../../event-list.ts'
import type { Installation } from '../../installation.ts'
import { storyHeader } from '../record.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in the story is whatever the next call needs of it
type Body = any

/** What a call of the story says beside the name of its operation. */
interface Told {
  path?: Record<string, string>
  query?: Record<string, string | number | boolean>
  body?: unknown
}

/** Makes the calls of the story, each as the samples of `/docs` show it. */
export interface Teller {
  project_id: string
  /** The first call of each operation so far, which is its example. */
  examples: ToldExample[]
  /** Sends what the sample of such a call contains, with its variables filled in, and returns the body of the answer. Throws if it is refused. */
  tell(operationId: string, told?: Told): Promise<Body>
  /** Does what the service does in the background, and waits until the events so far can be listed. */
  catchUp(): Promise<void>
}

export interface ToldExample {
  operation_id: string
  status: number
  request: ExampleRequest
  answer: unknown
}

const document = documentOf(operations)
const placed = new Map(
  resourcesOf(document).flatMap((resource) => resource.operations.map((each) => [each.operationId, each])),
)

export function newTeller({ app, runtime, made }: Installation): Teller {
  const variables = new Map([
    ['APP_ID', made.application.id],
    ['APP_TOKEN', made.application.token],
    ['MANAGEMENT_ID', made.management.id],
    ['MANAGEMENT_TOKEN', made.management.token],
  ])
  const examples: ToldExample[] = []
  const names = new Set<string>()
  return {
    project_id: made.project_id,
    examples,
    tell: async (operationId, told = {}) => {
      const operation = placed.get(operationId)
      if (operation === undefined) throw new Error(`There is no operation ${operationId}`)
      const request = requestOf(told)
      const isExample = !names.has(operationId)
      const { status, body } = await sendSample(app, sampleCall(operation, document, request), variables, isExample)
      if (status >= 400) throw new Error(`${operationId} is refused with ${status}: ${JSON.stringify(body)}`)
      if (isExample) examples.push({ operation_id: operationId, status, request, answer: body })
      names.add(operationId)
      if (operationId === 'generateOauthToken') variables.set('ACCESS_TOKEN', (body as Body).access_token)
      return body
    },
    catchUp: async () => {
      const ofProject = { only: made.project_id, daily: false }
      await runAsyncActions(runtime, made.project_id, asyncActions)
      while (await processSegments(runtime, ofProject));
      while ((await workOnExport(runtime, ofProject)) !== null);
      await untilFinal({ service: { runtime }, project_id: made.project_id })
    },
  }
}

/** As the recorder writes it. */
const requestOf = ({ path, query, body }: Told): ExampleRequest => ({
  ...(path === undefined ? {} : { path }),
  ...(query === undefined
    ? {}
    : { query: queryText(Object.entries(query).map(([name, each]): [string, string] => [name, String(each)])) }),
  ...(body === undefined ? {} : { body }),
})

const queryText = (query: Array<[name: string, value: string]>): string => new URLSearchParams(query).toString()

function sendSample(
  app: FastifyInstance,
  { operation, path, query, headers, body }: SampleCall,
  variables: ReadonlyMap<string, string>,
  isExample: boolean,
) {
  const address = query.length === 0 ? path : `${path}?${queryText(query)}`
  const sentHeaders = headers.map(({ name, text, before = '', variable = '' }) => [
    name,
    text ?? `${before}${fillIn(variable, variables, operation)}`,
  ])
  const [mediaType, content] = body === undefined ? [] : contentOf(body)
  return send(app, operation.method, address, content, {
    ...Object.fromEntries(sentHeaders),
    ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
    ...(isExample ? { [storyHeader]: 'example' } : {}),
  })
}

function fillIn(variable: string, values: ReadonlyMap<string, string>, { operationId }: PlacedOperation): string {
  const value = values.get(variable)
  if (value === undefined)
    throw new Error(`The sample of ${operationId} wants ${variable}, which the reader does not have`)
  return value
}

function contentOf(body: SampleBody): [mediaType: string, content: string] {
  if (body.kind === 'json') return ['application/json', JSON.stringify(body.value)]
  if (body.kind === 'form') return ['application/x-www-form-urlencoded', queryText(body.fields)]
  throw new Error('The story contains no files')
}

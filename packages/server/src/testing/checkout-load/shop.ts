import { Agent, request } from 'node:http'
import pg from 'pg'
import { connectorTo } from '../../core/db/connector.ts'
import { credentials, type NodeOptions, type ServiceNode, startNode, startNodeHere } from './service-node.ts'

export interface Shop {
  database_url: string
  project_id: string
  /** Requests go to them in turn; a killed node is replaced in this array. */
  nodes: ServiceNode[]
  answers: Answers
  /** Sends one request, by default to the next node. Throws if there is no response. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  /** Creates an empty shop in a new project on the same nodes. */
  another(): Promise<Shop>
  /** The same shop, called with the management key. */
  asOperator(): Shop
  close(): Promise<void>
}

/** The number of responses by operation and outcome: `POST redemptions` → `400 quantity_exceeded` → 7. */
export type Answers = Map<string, Map<string, number>>

export interface CallOptions {
  key?: string
  node?: number
  /** The client closes the connection after this time, whatever the state of the request. */
  patience_ms?: number
}

export interface Reply {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  body: any
  is_replay: boolean
}

/** Starts two nodes, each a process, on one database; one of them bootstraps it if it is empty. */
export async function openShop(
  databaseUrl: string,
  answers: Answers = new Map(),
  options: NodeOptions = {},
): Promise<Shop> {
  return shopOn(
    databaseUrl,
    await Promise.all([startNode(databaseUrl, options), startNode(databaseUrl, options)]),
    answers,
  )
}

/** The same with both nodes in this process. */
export async function openShopHere(databaseUrl: string): Promise<Shop> {
  return shopOn(databaseUrl, await Promise.all([startNodeHere(databaseUrl), startNodeHere(databaseUrl)]), new Map())
}

async function shopOn(databaseUrl: string, nodes: ServiceNode[], answers: Answers): Promise<Shop> {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const shopOf = (projectId: string, headers: Record<string, string>): Shop => ({
    database_url: databaseUrl,
    project_id: projectId,
    nodes,
    answers,
    async call(method, path, body, { key, node = turn++ % nodes.length, patience_ms = 180_000 } = {}) {
      const url = `${(nodes[node] as ServiceNode).address}${path}`
      const sent = { ...headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) }
      const reply = await send(agent, url, method, body, sent, patience_ms).catch((error: Error) => error)
      count(answers, `${method} ${wordsOf(path)}`, reply)
      if (reply instanceof Error) throw reply
      return reply
    },
    asOperator: () => shopOf(projectId, credentials.management),
    async another() {
      const manager = shopOf('', credentials.management)
      const body = { name: 'Another', timezone: 'UTC', currency: 'USD', case_sensitive_codes: true }
      const { id } = await made(manager, 'POST', '/management/v1/projects', body)
      const key = await made(manager, 'POST', `/management/v1/projects/${id}/api-keys`, { name: 'Shop' })
      return shopOf(id, { 'X-App-Id': key.app_id, 'X-App-Token': key.secret })
    },
    async close() {
      agent.destroy()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  })
  const [project] = await query({ database_url: databaseUrl }, 'select id from projects')
  return shopOf(project?.id as string, credentials.application)
}

function count(answers: Answers, asked: string, reply: Reply | Error): void {
  const answer =
    reply instanceof Error ? 'no answer' : `${reply.status}${reply.status < 300 ? '' : ` ${reply.body?.key}`}`
  const counts = answers.get(asked) ?? new Map<string, number>()
  answers.set(asked, counts.set(answer, (counts.get(answer) ?? 0) + 1))
}

/** `/v1/redemptions/r_1/rollback` → `redemptions rollback` */
const wordsOf = (path: string): string =>
  path
    .replace(/\?.*/, '')
    .split('/')
    .filter((word) => /^[a-z-]+$/.test(word))
    .join(' ')

/** Sends a setup request that must succeed, and returns the body. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
export async function made(shop: Shop, method: string, path: string, body?: unknown): Promise<any> {
  const reply = await shop.call(method, path, body)
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.body
}

/** The first log lines of the nodes, which log only errors. */
export const printedBy = ({ nodes }: Shop): string[] =>
  nodes.flatMap((node) => node.output().match(/^\{.*/gm)?.slice(0, 3) ?? [])

/** Queries the database on a new connection: an earlier one may have been killed, or lead to a server that was replaced. */
export async function query(
  { database_url }: Pick<Shop, 'database_url'>,
  text: string,
  values: unknown[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: whatever was selected
): Promise<any[]> {
  const client = connectorTo(database_url).newClient({
    types: {
      getTypeParser: (oid, format) =>
        oid === 20 || oid === 1700 ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format as 'text'),
    },
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

function send(
  agent: Agent,
  url: string,
  method: string,
  body: unknown,
  sent: Record<string, string>,
  patienceMs: number,
): Promise<Reply> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...sent,
    ...(payload === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        clearTimeout(patience)
        const isReplay = answer.headers['idempotency-replayed'] === 'true'
        const type = answer.headers['content-type'] ?? ''
        const read = text !== '' && type.includes('json') ? JSON.parse(text) : null
        resolve({ status: answer.statusCode as number, text, body: read, is_replay: isReplay })
      })
    })
    const patience = setTimeout(() => asked.destroy(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
    asked.on('error', (error) => {
      clearTimeout(patience)
      reject(error)
    })
    asked.end(payload)
  })
}

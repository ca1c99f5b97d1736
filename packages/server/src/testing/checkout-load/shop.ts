import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** One process of the service. */
export interface ServiceNode {
  address: string
  /** All that it has printed so far: its errors, when there are any. */
  output(): string
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface Shop {
  database_url: string
  project_id: string
  /** Requests go to them in turn; who kills one puts another in its place. */
  nodes: ServiceNode[]
  /** One request, to the next node unless one is chosen. Fails when nobody answers. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  close(): Promise<void>
}

export interface CallOptions {
  key?: string
  node?: number
  /** After so many milliseconds the caller hangs up, whatever has become of the request. */
  patience_ms?: number
}

export interface Reply {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  body: any
  is_replay: boolean
}

/** Starts so many nodes on one database, which the first of them sets up where it is empty. */
export async function openShop(database_url: string, { nodes_count = 2 } = {}): Promise<Shop> {
  const nodes = await Promise.all(Array.from({ length: nodes_count }, () => startNode(database_url)))
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const shop: Shop = {
    database_url,
    project_id: '',
    nodes,
    call(method, path, body, { key, node = turn++ % nodes.length, patience_ms = 60_000 } = {}) {
      return send(agent, `${(nodes[node] as ServiceNode).address}${path}`, method, body, key, patience_ms)
    },
    async close() {
      agent.destroy()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
  const [project] = await query(shop, 'select id from projects')
  shop.project_id = project?.id as string
  return shop
}

export async function startNode(database_url: string): Promise<ServiceNode> {
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--disable-warning=ExperimentalWarning', file('../../main.ts')],
    {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: file('../../../../../node_modules/.cache/guerdon/compiled'),
        PORT: '0',
        DATABASE_URL: database_url,
        LOG_LEVEL: 'error',
        AUTH_MODE: 'either', // a token would end in the middle of a long load
        BOOTSTRAP_APP_ID: credentials.id,
        BOOTSTRAP_APP_TOKEN: credentials.token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  let is_over = false
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      is_over = true
      resolve()
    }),
  )
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  for (let waited_ms = 0; ; waited_ms += 20) {
    const address = /ready on (\S+)/.exec(output)?.[1]
    if (address !== undefined)
      return { address, output: () => output, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
    if (is_over || waited_ms > 60_000) {
      await end('SIGKILL')
      throw new Error(`The service did not start:\n${output}`)
    }
    await pause(20)
  }
}

/** Calls that prepare something and must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
export async function made(shop: Shop, method: string, path: string, body?: unknown): Promise<any> {
  const reply = await shop.call(method, path, body)
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.body
}

/** Looks straight into the database, on a connection of its own: an earlier one may not have survived. */
export async function query(
  { database_url }: Pick<Shop, 'database_url'>,
  text: string,
  values: unknown[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: whatever was selected
): Promise<any[]> {
  const client = new pg.Client({
    connectionString: database_url,
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
  key: string | undefined,
  patience_ms: number,
): Promise<Reply> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    'X-App-Id': credentials.id,
    'X-App-Token': credentials.token,
    ...(payload === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (text += chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        clearTimeout(patience)
        const is_replay = answer.headers['idempotency-replayed'] === 'true'
        const type = answer.headers['content-type'] ?? ''
        const read = text !== '' && type.includes('json') ? JSON.parse(text) : null
        resolve({ status: answer.statusCode as number, text, body: read, is_replay })
      })
    })
    const patience = setTimeout(() => asked.destroy(new Error(`no answer within ${patience_ms} ms`)), patience_ms)
    asked.on('error', (error) => {
      clearTimeout(patience)
      reject(error)
    })
    asked.end(payload)
  })
}

const credentials = { id: '7d1c0f5e-3a52-4b8e-9c61-5f0a2d7be914', token: 'e2a96c34-81fd-4d07-b5a3-09c7f14d6b28' }

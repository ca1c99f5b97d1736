import { Agent } from 'node:http'
import { limits } from '../../core/lib/limits.ts'
import { type Connection, connectTarget } from './connect.ts'
import type { AttemptArgs } from './exchange.ts'
import type { Target } from './target-url.ts'

export interface Agents {
  of(target: Target): Agent
  close(): void
}

/**
 * One agent for each protocol: they keep connections for the next attempt at the same target. Both are agents of node:http, because
 * connections are made, with TLS where needed, by `connectTarget`. Neither reads proxies from the environment.
 */
export function newAgents(options: Pick<Connection, 'allow_private' | 'lookup' | 'limit_ms'>): Agents {
  const newAgent = (isTls: boolean): Agent => {
    const agent = new Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: idlePerTargetMax })
    agent.createConnection = (args, created) => {
      const { attempt } = args as AttemptArgs
      const { host, port } = attempt.target
      const connecting = new AbortController()
      if (attempt.reason !== null) connecting.abort(attempt.reason)
      attempt.connecting = connecting
      connectTarget({ ...options, host, port, is_tls: isTls, signal: connecting.signal }).then(
        (socket) => created?.(null, socket),
        (error) => created?.(error, undefined as never),
      )
      return undefined
    }
    agent.keepSocketAlive = (socket) => mayKeepOneMore() && keep(agent, socket)
    return agent
  }
  const http = newAgent(false)
  const https = newAgent(true)
  /** Idle connections are counted only if there are many in all. */
  const mayKeepOneMore = () =>
    countAll(http) + countAll(https) <= limits.target_idle_connections_max ||
    idleCount(http) + idleCount(https) < limits.target_idle_connections_max

  return {
    of: ({ url }) => (url.protocol === 'https:' ? https : http),
    close() {
      http.destroy()
      https.destroy()
    },
  }
}

/** Also those in use; a counter of Node that its types leave out. */
const countAll = (agent: Agent): number => (agent as Agent & { totalSocketCount: number }).totalSocketCount

const idleCount = ({ freeSockets }: Agent): number =>
  Object.values(freeSockets).reduce((sum, list) => sum + (list?.length ?? 0), 0)

/** The inherited method returns whether the connection may be kept, which its type does not say: false if the target announces otherwise. */
const keep = (agent: Agent, ...args: Parameters<Agent['keepSocketAlive']>): boolean =>
  Agent.prototype.keepSocketAlive.apply(agent, args) as unknown as boolean

/** Less than the 5 s after which many servers close an idle connection. */
const idleMs = 4_000

/** A webhook has at most 10 attempts at once. */
const idlePerTargetMax = 10

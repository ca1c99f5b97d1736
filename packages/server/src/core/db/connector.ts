import pg from 'pg'
import { driverUrl, serversOf } from './database-url.ts'
import { HostClient, HostPool } from './host-client.ts'
import { Hosts, type OnMoved } from './hosts.ts'
import { PooledClient } from './pooled-session.ts'

/** Opens connections to the servers that a URL names. */
export interface Connector {
  newPool(config: pg.PoolConfig): pg.Pool
  newClient(config: pg.ClientConfig): pg.Client
  /** A connection to the server that another one leads to, whatever has become of that server. */
  newProbe(other: pg.Client, config: pg.ClientConfig): pg.Client
  /** Whether the service has moved to another server since this connection was opened. */
  hasLeft(client: pg.Client): boolean
  /** Looks whether another server has taken over. To be called while a server does not answer; does not wait. */
  check(): void
}

interface ConnectorOptions {
  onMoved?: OnMoved | undefined
  /** Whether the URL leads to transaction poolers. */
  is_pooled?: boolean
}

/**
 * One server of which nothing is asked is left to the driver: no check, no further connection. Several servers, or one that has to be
 * writable, are looked after by `Hosts`.
 */
export function connectorTo(
  databaseUrl: string,
  { onMoved = () => {}, is_pooled = false }: ConnectorOptions = {},
): Connector {
  const { urls, attributes } = serversOf(databaseUrl)
  if (attributes !== null) return connectorOver(new Hosts(urls, attributes, onMoved), is_pooled)
  const connectionString = driverUrl(urls[0])
  const newClient = (config: pg.ClientConfig) => new pg.Client({ ...config, connectionString })
  return {
    newPool: (config) => new pg.Pool({ ...config, connectionString, ...(is_pooled ? { Client: PooledClient } : {}) }),
    newClient,
    newProbe: (_, config) => newClient(config),
    hasLeft: () => false,
    check() {},
  }
}

const connectorOver = (hosts: Hosts, isPooled: boolean): Connector => ({
  newPool: (config) => new HostPool(hosts, config, isPooled),
  newClient: (config) => new HostClient(hosts, config),
  newProbe: ({ host, port }, config) =>
    Object.assign(new pg.Client({ ...config, connectionString: hosts.driverUrl }), { host, port }),
  hasLeft: (client) => client instanceof HostClient && hosts.hasLeft(client),
  check: () => hosts.check(),
})

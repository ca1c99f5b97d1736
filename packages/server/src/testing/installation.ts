import { type BootstrapResult, bootstrap } from '../account/installation/bootstrap.ts'
import { migrate } from '../core/db/migrate.ts'
import { toInstant } from '../core/lib/instant.ts'
import { type Answer, send } from './app.ts'
import { type Node, type NodeOptions, openNode, ownDatabase } from './nodes.ts'
import { testSettings } from './runtime.ts'

/** An installation after its first start, alone on its database: one owner and one sandbox project. */
export interface Installation extends Node {
  made: BootstrapResult
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  manage(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<any>>
}

export async function newInstallation(options: NodeOptions = {}): Promise<Installation> {
  const { database } = await ownDatabase()
  const settings = testSettings(options.env)
  const { result } = await migrate(database.db, (trx) => bootstrap(trx, settings, toInstant(Date.now())))
  const made = result as BootstrapResult
  const node = await openNode(database, options)
  const pair = { 'x-management-id': made.management.id, 'x-management-token': made.management.token }
  return {
    ...node,
    made,
    manage: (method, path, body, headers = {}) =>
      send(node.app, method, `/management/v1${path}`, body, { ...pair, ...headers }),
  }
}

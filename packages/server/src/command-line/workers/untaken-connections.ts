import type { ChildProcess } from 'node:child_process'
import type { Worker } from 'node:cluster'

/** What `node:cluster` and its workers tell each other about a connection. */
interface HandedOver {
  cmd: 'NODE_CLUSTER'
  act: 'newconn'
  seq: number
}
interface Taken {
  cmd: 'NODE_CLUSTER'
  /** The `seq` of what is answered. */
  ack: number
  accepted: boolean
}

/**
 * Mends what `node:cluster` does about a worker that dies before it has taken a connection that was handed to it. It forgets the
 * connection, whose client waits until it gives up; and since the worker has not said that it got the connection, its `disconnect` event
 * never comes, so the worker would never be replaced.
 *
 * When the worker has gone, this answers in its place: that it did not take the connection, which hands it to another worker, or, if
 * nobody listens, that it did, which closes it here. One that was taken is never handed on: its request may have been done.
 */
export function returnUntaken({ process: child }: Worker, isAnotherListening: () => boolean): void {
  const untaken = new Set<number>()
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = ((message: Partial<HandedOver>, ...rest: unknown[]) => {
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn') untaken.add(message.seq as number)
    return send(message, ...rest)
  }) as ChildProcess['send']
  child.on('internalMessage', ({ ack }: Partial<Taken>) => {
    if (ack !== undefined) untaken.delete(ack)
  })
  let isDisconnected = false
  child.once('exit', function disconnect() {
    // Its last messages may still be on their way.
    if (child.connected) setTimeout(disconnect, 10)
    else if (!isDisconnected) child.emit('disconnect')
  })
  child.once('disconnect', () => {
    isDisconnected = true
    for (const seq of untaken) {
      const answer: Taken = { cmd: 'NODE_CLUSTER', ack: seq, accepted: !isAnotherListening() }
      child.emit('internalMessage', answer)
    }
  })
}

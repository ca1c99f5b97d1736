import { connect, type Socket } from 'node:net'

/** A request as bytes, ready to be sent. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = { Host: '127.0.0.1', ...headers, ...(body === undefined ? {} : describing(text)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}

const describing = (text: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(text)),
})

/**
 * A connection that asks one thing at a time. It shares two cores with what it measures, so it does as little as possible:
 * it looks at the status and waits for the last byte, and answers the body only when asked to.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer[] = []
  #length = 0
  /** Bytes of the whole answer; unknown until its head is there. */
  #expected = Number.POSITIVE_INFINITY
  #settle: { resolve(): void; reject(error: Error): void } | null = null

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Connection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (piece) => this.#receive(piece))
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error('the connection was closed')))
  }

  /** Sends a request, and answers its status once all of the answer has arrived. */
  async ask(request: Buffer): Promise<number> {
    if (this.#socket.destroyed) throw new Error('the connection was closed')
    this.#received = []
    this.#length = 0
    this.#expected = Number.POSITIVE_INFINITY
    await new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(request)
    })
    return Number(this.#received[0]?.toString('latin1', 9, 12))
  }

  /** The text of the latest answer. */
  body(): string {
    const all = Buffer.concat(this.#received)
    return all.toString('utf8', all.indexOf('\r\n\r\n') + 4)
  }

  close(): void {
    this.#settle = null
    this.#socket.destroy()
  }

  #receive(piece: Buffer): void {
    this.#received.push(piece)
    this.#length += piece.length
    if (this.#expected === Number.POSITIVE_INFINITY) this.#expected = wholeLength(Buffer.concat(this.#received))
    if (this.#length < this.#expected) return
    if (Number.isNaN(this.#expected)) this.#settle?.reject(new Error('an answer without Content-Length'))
    const settle = this.#settle
    this.#settle = null
    settle?.resolve()
  }
}

/** How long an answer is, once its head is there; NaN: it does not say. */
function wholeLength(begun: Buffer): number {
  const end = begun.indexOf('\r\n\r\n')
  if (end === -1) return Number.POSITIVE_INFINITY
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(begun.toString('latin1', 0, end)) ?? []
  return end + 4 + Number(length ?? Number.NaN)
}

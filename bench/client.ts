import { connect, type Socket } from 'node:net'

/** A request as bytes, ready to be sent. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = { Host: '127.0.0.1', ...headers, ...(body === undefined ? {} : contentHeaders(text)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}

const contentHeaders = (text: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(text)),
})

/**
 * An HTTP connection with one request at a time. It shares two cores with the server it measures, so it does as little as
 * possible: it reads the status, waits for the last byte, and decodes the body only on demand.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer[] = []
  #length = 0
  /** The length of the response in bytes; unknown until its head has arrived. */
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

  /** Sends a request and returns the status once the whole response has arrived. */
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

  /** The body of the latest response. */
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
    if (Number.isNaN(this.#expected)) this.#settle?.reject(new Error('the response has no Content-Length'))
    const settle = this.#settle
    this.#settle = null
    settle?.resolve()
  }
}

/** The length of a response once its head has arrived; NaN without Content-Length. */
function wholeLength(begun: Buffer): number {
  const end = begun.indexOf('\r\n\r\n')
  if (end === -1) return Number.POSITIVE_INFINITY
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(begun.toString('latin1', 0, end)) ?? []
  return end + 4 + Number(length ?? Number.NaN)
}

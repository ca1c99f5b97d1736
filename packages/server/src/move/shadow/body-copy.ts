import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { limits } from '../../core/lib/limits.ts'

const decompressors: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  identity: async (bytes) => bytes,
}

/** Room for all copies of bodies together, those that are on their way and those that wait to be read. */
export class CopyRoom {
  #free: number = limits.shadow_waiting_bytes_max

  take(bytes: number): boolean {
    if (bytes > this.#free) return false
    this.#free -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#free += bytes
  }
}

/** A copy of the body of a message that somebody else reads, up to a size and as far as there is room. */
export class BodyCopy {
  readonly #encoding: string
  readonly #room: CopyRoom
  #chunks: Buffer[] | null = []
  #length = 0
  /** False if other copies have left no room for this one. */
  hadRoom = true

  constructor(message: IncomingMessage, room: CopyRoom) {
    this.#encoding = message.headers['content-encoding'] ?? 'identity'
    this.#room = room
    message.on('data', (chunk: Buffer) => {
      if (this.#chunks === null) return
      if (this.#length + chunk.length > limits.shadow_body_bytes_max) return this.release()
      this.hadRoom = room.take(chunk.length)
      if (!this.hadRoom) return this.release()
      this.#length += chunk.length
      this.#chunks.push(chunk)
    })
  }

  get isComplete(): boolean {
    return this.#chunks !== null
  }

  /** Nobody needs the copy any longer. */
  release(): void {
    if (this.#chunks === null) return
    this.#chunks = null
    this.#room.giveBack(this.#length)
  }

  /** The body as JSON; undefined if it is too large or no JSON. */
  async json(): Promise<unknown> {
    const decompress = decompressors[this.#encoding]
    if (this.#chunks === null || decompress === undefined) return undefined
    try {
      const bytes = await decompress(Buffer.concat(this.#chunks), { maxOutputLength: limits.shadow_body_bytes_max })
      return JSON.parse(bytes.toString())
    } catch {
      return undefined
    }
  }
}

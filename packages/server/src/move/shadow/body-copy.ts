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

/** A copy of the body of a message that somebody else reads, up to a size. */
export class BodyCopy {
  readonly #encoding: string
  #chunks: Buffer[] | null = []
  #length = 0

  constructor(message: IncomingMessage) {
    this.#encoding = message.headers['content-encoding'] ?? 'identity'
    message.on('data', (chunk: Buffer) => {
      this.#length += chunk.length
      if (this.#length > limits.shadow_body_bytes_max) this.#chunks = null
      this.#chunks?.push(chunk)
    })
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

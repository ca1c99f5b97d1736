import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

/**
 * What the receiver of the tests does with a request, by the first part of its path: `/slow_body/anything`. A path of three digits
 * answers with that status. Everything is written to the socket directly, since no HTTP library would send most of it.
 */
const behaviours = {
  /** The usual answer. */
  ok: (socket) => answer(socket, 200, 'thank you'),
  /** 204, which has no body. */
  no_content: (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  /** Without a length: the end of the connection ends the body. */
  until_close: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nthank you'),
  chunked: (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nthank \r\n3\r\nyou\r\n0\r\n\r\n'),

  hang: () => {},
  close: (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  close_in_headers: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
  close_in_body: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthank'),
  close_in_bad_body: (socket) => socket.end('HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nsorry'),

  redirect: (socket) => answer(socket, 302, 'moved', { Location: '/ok' }),
  redirect_to_private: (socket) => answer(socket, 307, 'moved', { Location: 'http://169.254.169.254/latest/' }),
  redirect_for_ever: (socket) => answer(socket, 308, 'moved', { Location: '/redirect_for_ever' }),

  slow_headers: (socket) => dripping(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ', 'a'),
  slow_body: (socket) => dripping(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n', 'a'),
  slow_bad_body: (socket) => dripping(socket, 'HTTP/1.1 500 Oh\r\nContent-Length: 1000000\r\n\r\n', 'a'),
  slow_chunk_size: (socket) => dripping(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0'),
  endless: (socket) => pouring(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'endless '),
  endless_chunks: (socket) =>
    pouring(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `8\r\nendless \r\n`),
  /** 10 KiB would be ten thousand chunks. */
  endless_tiny_chunks: (socket) =>
    pouring(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `1\r\na\r\n`),
  endless_extension: (socket) =>
    pouring(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8;', 'extension'),
  endless_trailers: (socket) =>
    pouring(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'X-Trailer: a\r\n'),
  endless_headers: (socket) => pouring(socket, 'HTTP/1.1 200 OK\r\n', 'X-Header: a\r\n'),
  endless_status: (socket) => pouring(socket, 'HTTP/1.1 200 ', 'fine '),
  endless_information: (socket) => pouring(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  endless_responses: (socket) => pouring(socket, '', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nthank you'),
  megabyte: (socket) => answer(socket, 200, 'm'.repeat(1_000_000)),
  /** As much as is read, to the byte. */
  ten_kibibytes: (socket) => answer(socket, 200, 'k'.repeat(10_240)),
  /** The limit is in the middle of a character. */
  long_umlauts: (socket) => answer(socket, 200, `a${'ü'.repeat(10_000)}`),

  processing: (socket) => {
    socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
    answer(socket, 200, 'thank you')
  },
  /** An answer to `Expect: 100-continue`, which we do not send. */
  continue: (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    answer(socket, 200, 'thank you')
  },
  upgrade: (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes'),
  garbage: (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'),
  bad_status: (socket) => socket.write('HTTP/1.1 20x OK\r\n\r\n'),
  bad_chunks: (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nthank you\r\n'),
  two_lengths: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nthank you'),
  length_and_chunks: (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  /** A second response that nobody asked for: it must not answer the next request. */
  unasked: (socket) => {
    answer(socket, 200, 'thank you')
    answer(socket, 200, 'unasked')
  },
  zeros: (socket) => answer(socket, 200, 'a\0b'),
  not_utf8: (socket) => answer(socket, 200, Buffer.from([0x61, 0xff, 0xfe, 0x62])),
  gzip: (socket) => answer(socket, 200, gzipSync('thank you'), { 'Content-Encoding': 'gzip' }),

  /** Answers the head of the request, and reads its body much later. */
  unread: (socket) => {
    socket.pause()
    answer(socket, 200, 'thank you')
    setTimeout(() => socket.resume(), 1_000)
  },
  /** Answers, and closes the connection without having announced it. */
  close_unannounced: (socket) => {
    answer(socket, 200, 'thank you')
    socket.end()
  },
  /** Answers, and closes the connection when the next request on it begins, as a server whose time for idle connections is over. */
  close_when_reused: (socket) => {
    answer(socket, 200, 'thank you')
    socket.once('data', () => socket.destroy())
  },
} satisfies Record<string, (socket: Socket) => unknown>

export type Behaviour = keyof typeof behaviours | `${number}`

/** Behaviours that answer before the body of the request has arrived. */
export const earlyBehaviours: ReadonlySet<string> = new Set(['unread'])

export function behave(socket: Socket, name: string): void {
  if (/^\d{3}$/.test(name)) answer(socket, Number(name), `status ${name}`)
  else (behaviours[name as keyof typeof behaviours] ?? behaviours.ok)(socket)
}

function answer(socket: Socket, status: number, body: string | Buffer, headers: Record<string, string> = {}): void {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`), Buffer.from(body)]))
}

/** Writes a text every 5 ms, for as long as the other end stays. */
function dripping(socket: Socket, start: string, text: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(text), 5)
  socket.on('close', () => clearInterval(timer))
}

/** Writes a text as fast as the other end reads, for ever. */
function pouring(socket: Socket, start: string, text: string): void {
  const much = text.repeat(1_000)
  socket.write(start)
  const pour = () => {
    while (!socket.destroyed && socket.write(much));
  }
  socket.on('drain', pour)
  pour()
}

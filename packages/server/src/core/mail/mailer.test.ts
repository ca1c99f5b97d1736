import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { startSmtpServer, tlsFile } from '../../testing/smtp.ts'
import { type MailerTimes, newMailer } from './mailer.ts'
import { parseSmtpUrl } from './smtp-url.ts'
import type { WaitingMail } from './store.ts'

const mail: WaitingMail = {
  id: 'mail_00000000000000000000000a',
  recipients: ['ann@shop.test'],
  subject: 'Hello',
  text: 'First line\nSecond line',
  failed_attempts: 0,
}
const from = { name: 'Guerdon', address: 'guerdon@shop.test' }
const never = new AbortController().signal
const patient: MailerTimes = { silence_ms: 30_000, attempt_ms: 60_000, stop_ms: 30_000 }

const send = (url: string, change: Partial<WaitingMail> = {}, times: Partial<MailerTimes> = {}, signal = never) =>
  newMailer(parseSmtpUrl(url), from, { ...patient, ...times }).send({ ...mail, ...change }, signal)

/** Certificates of the test authority are trusted until the test has finished. */
function trust(...files: string[]): void {
  const before = getCACertificates()
  setDefaultCACertificates(files.map(tlsFile))
  onTestFinished(() => setDefaultCACertificates(before))
}

test('a mail arrives as plain text in UTF-8, with its sender, a stable Message-ID and the mark of a machine', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const url = `smtp://127.0.0.1:${server.port}`
  expect(await send(url)).toEqual([])
  expect(await send(url)).toEqual([]) // as after a crash
  expect(server.received).toHaveLength(2)
  const [{ raw, ...envelope } = { raw: '' }, again] = server.received
  expect(envelope).toEqual({ from: 'guerdon@shop.test', to: ['ann@shop.test'], is_encrypted: false, user: undefined })
  expect(raw).toContain('From: Guerdon <guerdon@shop.test>\r\n')
  expect(raw).toContain('To: ann@shop.test\r\n')
  expect(raw).toContain('Subject: Hello\r\n')
  expect(raw).toContain('Message-ID: <mail_00000000000000000000000a@shop.test>\r\n')
  expect(again?.raw).toContain('Message-ID: <mail_00000000000000000000000a@shop.test>\r\n')
  expect(raw).toContain('Auto-Submitted: auto-generated\r\n')
  expect(raw).toContain('Content-Type: text/plain; charset=utf-8\r\n')
  expect(raw).toMatch(/\r\n\r\nFirst line\r\nSecond line\r\n$/)
})

test('a subject and a text beyond ASCII arrive encoded', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  await send(`smtp://127.0.0.1:${server.port}`, { subject: 'Größe 5 € 🎁', text: 'Grüße' })
  const [{ raw } = { raw: '' }] = server.received
  const [, encoding = '', encoded = ''] = /Subject: =\?UTF-8\?([BQ])\?([^?]+)\?=/i.exec(raw) ?? []
  const subject =
    encoding === 'B'
      ? Buffer.from(encoded, 'base64').toString()
      : decodeURIComponent(encoded.replaceAll('_', ' ').replaceAll('=', '%'))
  expect(subject).toBe('Größe 5 € 🎁')
  expect(raw).toMatch(/Gr=C3=BC=C3=9Fe|R3LDvMOfZQ==|Grüße/)
})

test.each([
  'a@b.test\r\nBcc: spy@evil.test',
  'a@b.test\nRCPT TO:<spy@evil.test>',
  'a@b.test, spy@evil.test',
  'Ann <spy@evil.test>',
  '"a b"@b.test',
  'a@b@c.test',
  'nobody',
  '',
])('nothing is sent to %j, which is not one address', async (recipient) => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const failures = await send(`smtp://127.0.0.1:${server.port}`, { recipients: [recipient, 'ann@shop.test'] })
  expect(failures).toEqual([{ recipient, reason: 'is not an e-mail address' }])
  expect(server.received.map(({ to }) => to)).toEqual([['ann@shop.test']])
  expect(server.received[0]?.raw).not.toContain('evil')
})

test('line breaks in a subject add no header', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  await send(`smtp://127.0.0.1:${server.port}`, { subject: 'Hello\r\nBcc: spy@evil.test\r\n\r\nspam' })
  const [{ raw, to } = { raw: '', to: [] }] = server.received
  expect(to).toEqual(['ann@shop.test'])
  expect(raw).not.toMatch(/^Bcc:/m)
  expect(raw).toMatch(/\r\n\r\nFirst line/)
})

test('recipients that the server refuses are reported, and the others have the mail', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  server.answers.rcpt = ['550 no such user']
  const recipients = ['gone@shop.test', 'ann@shop.test']
  const failures = await send(`smtp://127.0.0.1:${server.port}`, { recipients })
  expect(failures).toMatchObject([{ recipient: 'gone@shop.test', reason: expect.stringContaining('no such user') }])
  expect(server.received.map(({ to }) => to)).toEqual([['ann@shop.test']])
})

test.each([
  ['connect', '421 too busy'],
  ['rcpt', '450 greylisted'],
  ['data', '452 disk is full'],
] as const)('an attempt fails when the server answers %s with %s', async (command, answer) => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  server.answers[command] = [answer]
  await expect(send(`smtp://127.0.0.1:${server.port}`)).rejects.toThrow(answer.slice(4))
  expect(await send(`smtp://127.0.0.1:${server.port}`)).toEqual([])
})

test('an attempt fails when nobody listens', async () => {
  const server = await startSmtpServer()
  await server.close()
  await expect(send(`smtp://127.0.0.1:${server.port}`)).rejects.toThrow(/ECONNREFUSED/)
})

/** A server that speaks by hand. */
async function rawServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an attempt ends when the server does not greet', async () => {
  const url = await rawServer(() => {})
  await expect(send(url, {}, { silence_ms: 200 })).rejects.toThrow(/timeout|greeting/i)
})

test('an attempt ends when the server stops answering', async () => {
  const url = await rawServer((socket) => socket.write('220 hello\r\n'))
  await expect(send(url, {}, { silence_ms: 200 })).rejects.toThrow(/timeout/i)
})

test('an attempt ends when the server sends a byte now and then for ever', async () => {
  const url = await rawServer((socket) => {
    const drip = setInterval(() => socket.write('2'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  await expect(send(url, {}, { attempt_ms: 300 })).rejects.toThrow('the server took too long')
})

test('an attempt ends soon after the process begins to stop', async () => {
  const stopping = new AbortController()
  const url = await rawServer(() => stopping.abort())
  await expect(send(url, {}, { stop_ms: 50 }, stopping.signal)).rejects.toThrow('the server took too long')
})

test('with smtps:// the connection is encrypted from the start, and the certificate must be valid', async () => {
  const server = await startSmtpServer({ secure: true })
  await expect(send(`smtps://127.0.0.1:${server.port}`)).rejects.toThrow(/certificate|verify|self.signed/i)
  trust('another-authority.pem')
  await expect(send(`smtps://127.0.0.1:${server.port}`)).rejects.toThrow(/certificate|verify|self.signed/i)
  trust('authority.pem')
  expect(await send(`smtps://127.0.0.1:${server.port}`)).toEqual([])
  expect(server.received).toMatchObject([{ is_encrypted: true }])
})

test('a server that speaks no TLS is not sent anything with smtps://', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  await expect(send(`smtps://127.0.0.1:${server.port}`)).rejects.toThrow()
  expect(server.received).toEqual([])
})

test('with smtp:// STARTTLS is used when it is offered, and its certificate must be valid', async () => {
  const server = await startSmtpServer()
  const url = `smtp://127.0.0.1:${server.port}`
  await expect(send(url)).rejects.toThrow(/certificate|verify|self.signed/i)
  expect(await send(`${url}?tls=off`)).toEqual([])
  trust('authority.pem')
  expect(await send(url)).toEqual([])
  expect(server.received.map((mail) => mail.is_encrypted)).toEqual([false, true])
})

test('with tls=required nothing is sent to a server that does not offer STARTTLS', async () => {
  const server = await startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const url = `smtp://127.0.0.1:${server.port}`
  await expect(send(`${url}?tls=required`)).rejects.toThrow(/TLS/)
  expect(server.received).toEqual([])
  expect(await send(url)).toEqual([])
})

test('user and password are those of the URL, and a refusal that repeats the password does not show it', async () => {
  const server = await startSmtpServer({ allowInsecureAuth: true, disabledCommands: ['STARTTLS'] })
  const failure = await send(`smtp://shop:wr%6fng@127.0.0.1:${server.port}`).catch((error: Error) => error)
  expect(failure).toMatchObject({ message: expect.stringContaining('*** password ***') })
  expect(JSON.stringify([failure, (failure as Error).stack, (failure as Error).cause])).not.toContain('wrong')
  expect(await send(`smtp://shop:s3cret%21@127.0.0.1:${server.port}`)).toEqual([])
  expect(server.received).toMatchObject([{ user: 'shop' }])
})

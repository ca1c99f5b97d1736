import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

/** Starts the service of this checkout as a process of its own and waits until it is ready; returns its address, and how to stop it. */
export async function startGuerdon(env: Record<string, string>): Promise<{ url: string; stop(): Promise<void> }> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, ['--conditions=source', '--disable-warning=ExperimentalWarning', main], {
    env: { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  // Whatever ends the example ends its service.
  const kill = () => void child.kill()
  process.once('exit', kill)
  const stop = async () => {
    process.removeListener('exit', kill)
    child.kill()
    await ended
  }
  let output = ''
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        if (output.length < 100_000) output += chunk.toString()
        const url = /ready on (\S+)/.exec(output)?.[1]
        if (url !== undefined) resolve(url)
      })
  })
  const url = await Promise.race([ready, ended.then(() => null)])
  if (url === null) throw new Error(`Guerdon did not start:\n${output}`)
  return { url, stop }
}

import { fileURLToPath } from 'node:url'
import type { GuerdonClientSideOptions } from '@guerdon/client'
import react from '@vitejs/plugin-react'
import { build, defaultClientConditions, preview } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Builds the page for a service and serves it on the loopback; returns its address, and how to stop it. */
export async function servePage(options: GuerdonClientSideOptions, port: number) {
  const shared = { root, configFile: false, logLevel: 'warn' } as const
  await build({
    ...shared,
    plugins: [react()],
    // The client of this checkout from its sources.
    resolve: { conditions: ['source', ...defaultClientConditions] },
    define: { guerdonOptions: JSON.stringify(options) },
    build: { reportCompressedSize: false },
  })
  const server = await preview({ ...shared, preview: { host: '127.0.0.1', port, strictPort: true } })
  const { port: opened } = server.httpServer.address() as { port: number }
  return { port: opened, close: () => server.close() }
}

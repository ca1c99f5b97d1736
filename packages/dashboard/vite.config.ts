import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

const service = process.env.GUERDON_URL ?? 'http://127.0.0.1:8010'

/** The built files lie under `/dashboard/` of the service. In development Vite serves them and passes the API on to a running service. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // No variable of a build machine belongs into files that everybody may read.
  envDir: false,
  envPrefix: 'GUERDON_PUBLIC_',
  plugins: [react(), tailwindcss()],
  // The packages of the workspace from their sources: nothing has to be built before.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    target: 'es2022',
    // A strict Content-Security-Policy allows no data: scripts, and a preload polyfill would be one more request's worth of code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: Object.fromEntries(
      ['/v1', '/management', '/auth', '/health', '/docs', '/guides', '/openapi.json'].map((path) => [
        path,
        { target: service },
      ]),
    ),
  },
})

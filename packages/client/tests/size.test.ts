import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from './bundle.ts'

/** Everything that `@guerdon/client` exports; a page that makes only the client-side client loads half of it. */
const bytesMax = 6_000

test('the client is below 6 kB, minified and compressed', async () => {
  const code = await bundle('es')
  // Minified, and nothing is missing.
  expect(code).toMatch(/createGuerdon\b.*createGuerdonClientSide.*verifyWebhook/s)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(bytesMax)
})

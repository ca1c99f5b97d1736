// A registry on loopback for packed packages: try-packages installs them by name, as from the public registry.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'

/**
 * Serves packed packages, each with its package.json as `manifest` and its `tarball` file, under their names. Every other name
 * is redirected to the registry `upstream`.
 */
export function serveRegistry(packages, upstream) {
  const documents = new Map()
  const tarballs = new Map(packages.map(({ tarball }) => [`/-/${basename(tarball)}`, readFileSync(tarball)]))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://registry').pathname)
    const found = documents.get(path.slice(1)) ?? tarballs.get(path)
    if (found) return response.end(found)
    // The path as it was sent: names with a scope have an encoded slash.
    response.writeHead(307, { location: new URL(request.url.slice(1), upstream).href }).end()
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = `http://127.0.0.1:${server.address().port}`
      for (const { manifest, tarball } of packages)
        documents.set(
          manifest.name,
          packageDocument(manifest, `${address}/-/${basename(tarball)}`, readFileSync(tarball)),
        )
      resolve({ address, close: () => server.close() })
    })
  })
}

/** What a registry says about a package: here, of its only version. */
function packageDocument(manifest, tarball, bytes) {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const { name, version } = manifest
  return JSON.stringify({
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball, integrity } } },
  })
}

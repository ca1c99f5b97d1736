// Builds packages/dashboard into packages/server/dist/dashboard.
import { join } from 'node:path'
import { constants } from 'node:zlib'
import { buildSite, ensureSite, filesIn, hashOf } from './built-site.mjs'
import { binary, root } from './workspace.mjs'

const sources = 'packages/dashboard'
const clientSources = 'packages/client/src'
const builtInto = join(root, 'packages/server/dist/dashboard')

/** Builds the dashboard unless the built one is of the current sources and packages. Returns whether there is a current one. */
export const ensureDashboard = () =>
  ensureSite({ name: 'dashboard', into: builtInto, wanted: sourceHash(), build: buildDashboard })

/** Builds the dashboard; returns the output of Vite if it fails, otherwise null. */
export const buildDashboard = ({ into = builtInto, env = process.env } = {}) =>
  buildSite({
    name: 'dashboard',
    into,
    hash: sourceHash(),
    env,
    quality: constants.BROTLI_MAX_QUALITY,
    command: (folder) => [
      binary('vite/bin/vite.js'),
      'build',
      join(root, sources),
      '--outDir',
      folder,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ],
  })

/** The hash of everything that a build reads: sources, configuration, packages, and these scripts. */
const sourceHash = () =>
  hashOf([
    ...filesIn(join(root, sources))
      .filter(isSource)
      .map((path) => `${sources}/${path}`),
    ...filesIn(join(root, clientSources)).map((path) => `${clientSources}/${path}`),
    'package-lock.json',
    'scripts/built-site.mjs',
    'scripts/dashboard.mjs',
  ])

const isSource = (path) => /^(?:src|public)\/|^[^/]+$/.test(path) && !/\.test\.tsx?$/.test(path)

import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { examples } from './testing/examples.ts'

/** The script that a browser or a till loads: the package's entry, bundled and minified. */
let script: string

beforeAll(async () => {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      lib: {
        entry: fileURLToPath(new URL('./index.ts', import.meta.url)),
        formats: ['iife'],
        name: 'guerdon',
        fileName: 'guerdon',
      },
      minify: true,
      write: false,
    },
  })) as Rolldown.RolldownOutput[]
  script = (built[0] as Rolldown.RolldownOutput).output[0].code
})

describe('in a browser', () => {
  test('the engine is small and bundles no library', () => {
    const size = gzipSync(script).length / 1024
    // biome-ignore lint/suspicious/noConsole: a number that should be seen to grow, not only to burst
    console.log(
      `the engine for the browser: ${size.toFixed(1)} kB gzipped, ${(script.length / 1024).toFixed(1)} kB plain`,
    )
    expect(size).toBeLessThan(42)
    expect(script).not.toMatch(/typebox/i)
  })

  test.each(examples)('example $number: $about', ({ facts, expected }) => {
    // A new VM context has only the language: no process, no fetch, no timers.
    const page = createContext({ facts: JSON.stringify(facts) })
    runInContext(script, page)
    const verdict = runInContext('JSON.stringify(guerdon.evaluate(JSON.parse(facts)))', page) as string
    expect(JSON.parse(verdict)).toMatchObject(expected as object)
  })
})

import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** The client as a bundler ships it, in one file: as a module, or as a script that sets the global `guerdon`. */
export async function bundle(
  format: 'es' | 'iife',
  entry = fileURLToPath(new URL('../src/index.ts', import.meta.url)),
): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict', output: { format, name: 'guerdon' } },
      modulePreload: false,
    },
  })) as Rolldown.RolldownOutput
  return built.output[0].code
}

import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
  }
}

/** Property tests use other values in every run. The seed is printed; set `FAST_CHECK_SEED` to repeat a run. */
export default function chooseSeed(project: TestProject): void {
  const seed = Number(process.env.FAST_CHECK_SEED ?? Date.now() % 2 ** 31)
  process.stdout.write(`properties of the engine: FAST_CHECK_SEED=${seed}\n`)
  project.provide('seed', seed)
}

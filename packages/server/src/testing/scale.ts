/** What a run of the tests is for (docs/decisions/0037-what-runs-where.md). */
export type TestRun =
  /** `npm test` */
  | 'test'
  /** `.ci/run` */
  | 'gate'
  /** `npm test -- FILE`: whatever the kind of the file, at full size. */
  | 'all'
  /** `npm run verify`: as above, and everything on the embedded database too. */
  | 'both'

export const testRun = (process.env.GUERDON_TESTS ?? 'test') as TestRun

const isFull = testRun === 'all' || testRun === 'both'

/** The size of a race or of a property test: `npm test` and `.ci/run` check the same guarantee with fewer requests or random values. */
export const scaled = (full: number, small: number): number => (isFull ? full : small)

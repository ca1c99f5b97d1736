/** In CI, with `npm test -- --all` and for files that are named: every test, at full size. */
export const isComplete = process.env.GUERDON_TEST_ALL === '1'

/** Whether the slow files run too: as above, and where a command needs them (`npm run examples`, `npm run pages`). */
export const runsSlow = isComplete || process.env.GUERDON_TEST_SLOW === '1'

/** With `npm test -- --both` and for files that are named: on the embedded database too, whatever their subject. */
export const runsTwice = process.env.GUERDON_TEST_BOTH === '1'

/** The size of a race or of a property test: with `npm test` the same guarantee is checked with fewer requests or random values. */
export const scaled = (all: number, few: number): number => (isComplete ? all : few)

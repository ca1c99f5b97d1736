/** In CI and with `npm test -- --all`: every test, at full size. */
export const isComplete = process.env.GUERDON_TEST_ALL === '1'

/** The size of a race or of a property test: with `npm test` the same guarantee is checked with fewer requests or random values. */
export const scaled = (all: number, few: number): number => (isComplete ? all : few)

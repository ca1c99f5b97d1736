// Formulas are written by users and run in every calculation: each dimension has an end.

export const formulaLengthMax = 5_000

/** Parentheses and function calls inside each other; the parser and the closures call themselves that deep. */
export const formulaDepthMax = 50

/** Numbers, texts, operands and calls in one formula. */
export const formulaValuesMax = 500

/** Numerators and denominators end at 2^512, about 154 digits. Whatever is longer is not calculable. */
export const exactBitsMax = 512

/**
 * Operations of one evaluation whose result has left 2^53. Reducing two numbers of 1,024 bits takes a tenth of a
 * millisecond, so this keeps the worst formula at about ten; honest ones need none, or a handful.
 */
export const longStepsMax = 100

/** Digits that ROUND, FLOOR and CEIL keep, or clear before the point. */
export const roundingDigitsMax = 20

/** Characters of all formulas that are kept compiled; then we start again. */
export const rememberedLengthMax = 500_000

// Formulas are user input and run in every evaluation, so every dimension is limited.

export const formulaLengthMax = 5_000

/** Nesting of parentheses and function calls: the recursion depth of the parser and of the evaluators. */
export const formulaDepthMax = 50

/** Literals, operands and calls in one formula. */
export const formulaValuesMax = 500

/** Numerators and denominators are limited to 2^512, about 154 digits; anything longer is not calculable. */
export const exactBitsMax = 512

/**
 * Operations per evaluation whose result exceeds 2^53. Reducing two numbers of 1,024 bits takes 0.1 ms, so the worst
 * formula takes about 10 ms; normal formulas need none, or a handful.
 */
export const longStepsMax = 100

/** Maximum number of digits for ROUND, FLOOR and CEIL, before or after the decimal point. */
export const roundingDigitsMax = 20

/** Total length of cached formulas in characters; beyond it the cache is cleared. */
export const cachedLengthMax = 500_000

// Formulas are written by users and run in every calculation: each dimension has an end.

export const formula_length_max = 5_000

/** Parentheses and function calls inside each other; the parser and the closures call themselves that deep. */
export const formula_depth_max = 50

/** Numbers, texts, operands and calls in one formula. */
export const formula_values_max = 500

/** Numerators and denominators end at 2^512, about 154 digits. Whatever is longer is not calculable. */
export const exact_bits_max = 512

/**
 * Operations of one evaluation whose result has left 2^53. Reducing two numbers of 1,024 bits takes a tenth of a
 * millisecond, so this keeps the worst formula at about ten; honest ones need none, or a handful.
 */
export const long_steps_max = 100

/** Digits that ROUND, FLOOR and CEIL keep, or clear before the point. */
export const rounding_digits_max = 20

/** Characters of all formulas that are kept compiled; then we start again. */
export const remembered_length_max = 500_000

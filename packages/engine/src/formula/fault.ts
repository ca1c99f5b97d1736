/**
 * Why a text is not a valid formula, or why a formula gives no number: a message and a position (0 is the first character).
 */
export interface FormulaFault {
  readonly fault: string
  readonly position: number
}

/** A fault without position: operators and functions do not know where they stand in the text. */
export type UnlocatedFault = Pick<FormulaFault, 'fault'>

export const isFault = (result: unknown): result is UnlocatedFault =>
  typeof result === 'object' && result !== null && 'fault' in result

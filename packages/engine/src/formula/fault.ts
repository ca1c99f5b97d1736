/** Why a text is no formula, or why a formula gives no number here: in plain words, and where (0 is the first character). */
export interface FormulaFault {
  readonly fault: string
  readonly position: number
}

/** A fault whose place is not known yet: operators and functions do not see the text. */
export type Trouble = Pick<FormulaFault, 'fault'>

export const isFault = (result: unknown): result is Trouble =>
  typeof result === 'object' && result !== null && 'fault' in result

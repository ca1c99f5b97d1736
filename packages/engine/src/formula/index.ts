export { formulaAmount, formulaPercent, formulaUnits } from './convert.ts'
export { type FormulaFault, isFault } from './fault.ts'
export { compileFormula, evaluateFormula, type Formula, whyNotForPoints } from './formula.ts'
export { formulaLengthMax } from './limits.ts'

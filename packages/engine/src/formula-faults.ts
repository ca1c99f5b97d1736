import { compileFormula, type FormulaFault, isFault } from './formula/index.ts'
import { isRecord } from './values.ts'

/** A formula with a syntax error, and its field: `units[1].unit_off_formula`. */
export interface FieldFault extends FormulaFault {
  readonly field: string
}

/**
 * Syntax errors in the formulas of a discount or of an `applicable_to` entry, checked when the definition is saved.
 *
 * `{ type: 'AMOUNT', amount_off_formula: '1 +' }` → `amount_off_formula`: the formula ends too early, at 3.
 * /
 */
export function formulaFaults(definition: object, path = ''): FieldFault[] {
  return Object.entries(definition).flatMap(([name, value]): FieldFault[] => {
    const field = path + name
    if (Array.isArray(value)) {
      return value.flatMap((part, i) => (isRecord(part) ? formulaFaults(part, `${field}[${i}].`) : []))
    }
    if (!name.endsWith('_formula') || typeof value !== 'string') return []
    const formula = compileFormula(value)
    return isFault(formula) ? [{ field, fault: formula.fault, position: formula.position }] : []
  })
}

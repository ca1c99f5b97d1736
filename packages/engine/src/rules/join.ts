import type { Expression, RuleRun, Truth } from './run.ts'

export const never: Expression = () => false

// Three-valued (Kleene) logic: an unknown part alone decides nothing. All parts are evaluated only when a trace or the list
// of omitted rules is requested; result and reported rule are the same.
const needsAllParts = ({ trace, omitted }: RuleRun): boolean => trace !== null || omitted !== null

export function all(parts: readonly Expression[]): Expression {
  return (run) => {
    let truth: Truth = true
    for (const part of parts) {
      const result = part(run)
      if (result === false || (result === null && truth === true)) truth = result
      if (result === false && !needsAllParts(run)) break
    }
    return truth
  }
}

export function any(parts: readonly Expression[]): Expression {
  return (run) => {
    const { reported, missing } = run
    let truth: Truth = false
    for (const part of parts) {
      const result = part(run)
      if (result === true || (result === null && truth === false)) truth = result
      if (result === true && !needsAllParts(run)) break
    }
    // A failed alternative is not the reason when another one holds.
    if (truth !== false) [run.reported, run.missing] = [reported, missing]
    return truth
  }
}

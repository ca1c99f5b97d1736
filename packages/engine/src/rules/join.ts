import type { Expression, Run, Truth } from './run.ts'

export const never: Expression = () => false

// Rules are joined in Kleene's sense: what is not known yet decides nothing. Only where a trace or all omitted rules are
// wanted is more asked than needed; the answer and the reported rule are the same.
const isThorough = ({ trace, omitted }: Run): boolean => trace !== null || omitted !== null

export function all(parts: readonly Expression[]): Expression {
  return (run) => {
    let truth: Truth = true
    for (const part of parts) {
      const found = part(run)
      if (found === false || (found === null && truth === true)) truth = found
      if (found === false && !isThorough(run)) break
    }
    return truth
  }
}

export function any(parts: readonly Expression[]): Expression {
  return (run) => {
    const { reported, missing } = run
    let truth: Truth = false
    for (const part of parts) {
      const found = part(run)
      if (found === true || (found === null && truth === false)) truth = found
      if (found === true && !isThorough(run)) break
    }
    // A "no" that an alternative made good is not the reason for anything.
    if (truth !== false) [run.reported, run.missing] = [reported, missing]
    return truth
  }
}

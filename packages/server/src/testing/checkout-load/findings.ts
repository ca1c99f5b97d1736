/** A kind of violation: how often it was checked for, and the violations found. */
export interface Finding {
  looked_for: string
  times: number
  violations: string[]
}

export const violationsOf = (findings: readonly Finding[]): string[] => findings.flatMap(({ violations }) => violations)

/** Something that must not be: how often it was looked for, and where it was found. */
export interface Finding {
  looked_for: string
  times: number
  violations: string[]
}

export const violationsOf = (findings: readonly Finding[]): string[] => findings.flatMap(({ violations }) => violations)

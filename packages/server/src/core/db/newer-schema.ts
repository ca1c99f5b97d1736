/** The database was prepared by a newer release: this one could misread what that one writes, so it does not start. */
export class NewerSchemaError extends Error {
  constructor(evidence: string, release: string) {
    super(
      `The database belongs to a newer release of Guerdon: ${evidence}, and this is ${release}. ` +
        'Start the newer release, or restore a backup from before the upgrade.',
    )
  }
}

/** Whether release `one` comes after `other`: `0.10.0` after `0.9.1`. What follows a `-` or `+` is not compared. */
export function isNewerRelease(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  for (let at = 0; at < Math.max(left.length, right.length); at += 1)
    if ((left[at] ?? 0) !== (right[at] ?? 0)) return (left[at] ?? 0) > (right[at] ?? 0)
  return false
}

const numbersOf = (release: string): number[] => release.split(/[-+]/, 1)[0]!.split('.').map(Number)

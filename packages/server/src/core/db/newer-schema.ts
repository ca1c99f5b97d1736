/** A newer release has migrated the database: this release could misread its data, so it does not start. */
export class NewerSchemaError extends Error {
  constructor(evidence: string, release: string) {
    super(
      `The database belongs to a newer release of Guerdon: ${evidence}, and this is ${release}. ` +
        'Start the newer release, or restore a backup from before the upgrade.',
    )
  }
}

/** Whether `release` is newer than `reference`: `0.10.0` is newer than `0.9.1`. Suffixes after `-` or `+` are ignored. */
export function isNewerRelease(release: string, reference: string): boolean {
  const [left, right] = [numbersOf(release), numbersOf(reference)]
  for (let at = 0; at < Math.max(left.length, right.length); at += 1)
    if ((left[at] ?? 0) !== (right[at] ?? 0)) return (left[at] ?? 0) > (right[at] ?? 0)
  return false
}

const numbersOf = (release: string): number[] => release.split(/[-+]/, 1)[0]!.split('.').map(Number)

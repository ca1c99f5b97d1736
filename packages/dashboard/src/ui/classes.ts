/** Joins class names; what is false or missing is left out. */
export function classes(...names: (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(' ')
}

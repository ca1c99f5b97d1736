/**
 * Remembers what was made of a definition, for as long as somebody holds the definition. Rules, discounts and filters are
 * read from the database once and used by thousands of calculations: they are compiled at the first. Definitions are never
 * changed in place, so the same object always means the same thing.
 */
export function once<D extends object, T>(make: (definition: D) => T): (definition: D) => T {
  const made = new WeakMap<D, { value: T }>()
  return (definition) => {
    let found = made.get(definition)
    if (found === undefined) {
      found = { value: make(definition) }
      made.set(definition, found)
    }
    return found.value
  }
}

/**
 * Caches the value computed from a definition in a WeakMap, until the definition is garbage collected. Rules, discounts and
 * filters are read from the database once and used by thousands of calculations, so they are compiled on first use.
 * Definitions are never mutated, so the same object always gives the same value.
 */
export function memoize<D extends object, T>(compute: (definition: D) => T): (definition: D) => T {
  const cache = new WeakMap<D, { value: T }>()
  return (definition) => {
    let entry = cache.get(definition)
    if (entry === undefined) {
      entry = { value: compute(definition) }
      cache.set(definition, entry)
    }
    return entry.value
  }
}

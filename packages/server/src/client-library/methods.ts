/** What the library's own objects talk through. Its methods are not for callers. */
const wires = new Set(['client', 'requestController'])

/** What a class of the library keeps to itself, which its types say and its objects do not. */
const inner = new Set(['constructor', 'getLastResponseHeadersFromController'])

/** The names of an object's methods. */
export function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object
  if (prototype === Object.prototype) return []
  return Object.getOwnPropertyNames(prototype).filter(
    (key) => !inner.has(key) && typeof Reflect.get(object, key) === 'function',
  )
}

/** Every object that can be reached from one, by its shortest path. */
export function objectsIn(root: object): Map<string, object> {
  const found = new Map<object, string>()
  let level = [['', root] as [path: string, object: object]]
  while (level.length > 0)
    level = level.flatMap(([path, object]) =>
      Object.entries(object)
        .filter(([key, value]) => typeof value === 'object' && value !== null && !wires.has(key) && !found.has(value))
        .map(([key, value]): [string, object] => {
          found.set(value, `${path}${key}`)
          return [`${path}${key}.`, value]
        }),
    )
  return new Map([...found].map(([object, path]) => [path, object]))
}

export const objectAt = (root: object, path: string): object =>
  path.split('.').reduce<object>((object, key) => Reflect.get(object, key) as object, root)

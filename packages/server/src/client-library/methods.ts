/** The transport objects of the library, whose methods are not for callers. */
const transports = new Set(['client', 'requestController'])

/** Methods that are private in the library's types, but present on its objects. */
const privateMethods = new Set(['constructor', 'getLastResponseHeadersFromController'])

/** The names of an object's methods. */
export function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object
  if (prototype === Object.prototype) return []
  return Object.getOwnPropertyNames(prototype).filter(
    (key) => !privateMethods.has(key) && typeof Reflect.get(object, key) === 'function',
  )
}

/** Every object that can be reached from one, by its shortest path. */
export function objectsIn(root: object): Map<string, object> {
  const found = new Map<object, string>()
  let level = [['', root] as [path: string, object: object]]
  while (level.length > 0)
    level = level.flatMap(([path, object]) =>
      Object.entries(object)
        .filter(
          ([key, value]) => typeof value === 'object' && value !== null && !transports.has(key) && !found.has(value),
        )
        .map(([key, value]): [string, object] => {
          found.set(value, `${path}${key}`)
          return [`${path}${key}.`, value]
        }),
    )
  return new Map([...found].map(([object, path]) => [path, object]))
}

export const objectAt = (root: object, path: string): object =>
  path.split('.').reduce<object>((object, key) => Reflect.get(object, key) as object, root)

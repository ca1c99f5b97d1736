/**
 * Descriptions for the OpenAPI document, which no validator has to carry. The first key is the name of a schema, the id of an
 * operation, or `*` for all of them; the second is the path of a property below it: `code`, `gift.amount`. The elements of a list have
 * the path of the list. What the schema itself says takes precedence.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What the schema is, in the table of its name. */
const itself = '$'
/** The name of a schema with the same properties, whose descriptions hold here too. */
const like = '$like'
/** Descriptions of properties that mean the same everywhere. */
const everywhere = '*'

/** `ClientVoucher` is what the client side sees of `Voucher`. */
const client = 'Client'

export interface Describer {
  /** The description of a named schema. */
  ofName(name: string): string | undefined
  /**
   * The description of the property at a path, `['Voucher', 'gift', 'amount']`: that of its own schema, or else what follows from its
   * value, or else what holds everywhere.
   */
  ofProperty(path: readonly string[], ofValue?: string): string | undefined
  /** The entries that nothing has used so far. */
  unused(): string[]
}

export function newDescriber(tables: Descriptions): Describer {
  const used = new Set<string>()

  function entry(name: string, key: string): string | undefined {
    const text = tables[name]?.[key]
    if (text !== undefined) used.add(`${name}: ${key}`)
    return text
  }

  /** The entry of a schema, or else that of the schema it is like. What the client side sees is like what servers see. */
  function ownEntry(name: string, key: string): string | undefined {
    const own = entry(name, key)
    const model = tables[name]?.[like] ?? (name.startsWith(client) ? name.slice(client.length) : undefined)
    if (own !== undefined || model === undefined) return own
    const text = ownEntry(model, key)
    if (text !== undefined) used.add(`${name}: ${like}`)
    return text
  }

  return {
    ofName: (name) => {
      const seen = name.startsWith(client) ? entry(name.slice(client.length), itself) : undefined
      return entry(name, itself) ?? (seen === undefined ? undefined : `On the client side: ${lowerFirst(seen)}`)
    },
    ofProperty([name = '', ...path], ofValue) {
      const own = ownEntry(name, path.join('.')) ?? ofValue
      if (own !== undefined) return own
      // The longest end of the path first: `gift.amount` before `amount`.
      for (const start of path.keys()) {
        const text = entry(everywhere, path.slice(start).join('.'))
        if (text !== undefined) return text
      }
      return undefined
    },
    unused: () =>
      Object.entries(tables)
        .flatMap(([name, table]) => Object.keys(table).map((key) => `${name}: ${key}`))
        .filter((each) => !used.has(each)),
  }
}

const lowerFirst = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)

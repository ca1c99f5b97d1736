/** The path and query of a call. Objects and lists become brackets, as the API reads them: `created_at[after]=…`, `ids[0]=…`. */
export function addressOf(template: string, path: object = {}, query: object = {}): string {
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    // Nothing given is nothing named, and no object called "undefined".
    // Half a surrogate pair stays as it is: encodeURIComponent would throw, and what customers type in may have one.
    String((path as Record<string, unknown>)[name] ?? '').replace(/\P{Cs}+/gu, encodeURIComponent),
  )
  const search = new URLSearchParams()
  addTo(search, '', query)
  return search.size > 0 ? `${address}?${search}` : address
}

function addTo(search: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  if (value instanceof Date) search.append(name, value.toISOString())
  else if (typeof value === 'object')
    for (const [key, entry] of Object.entries(value)) addTo(search, name ? `${name}[${key}]` : key, entry)
  else search.append(name, String(value))
}

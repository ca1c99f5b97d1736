/**
 * Replaces secrets in a text by `***`: the values of members, form fields and query parameters whose name ends like that of
 * a secret (`access_token`, `X-App-Token`, `clientSecret`), and the token in the address of a report. It works on the text,
 * not on parsed JSON: a body may be cut, malformed or no JSON, and parsing a valid one would cost more than the rest of its entry.
 *
 * Each match ends where the next one can begin, so the time is proportional to the length.
 */
export function maskSecrets(text: string): string {
  const readable = text.includes('\\u00') ? text.replace(escapes, unescapeLetter) : text
  return readable.replace(secrets, masked)
}

/**
 * A name, then a string up to its end or that of the text, in either kind of quotes, or a number; or the value of a form field.
 * `tracking_id`: for some hours it proves to the client side which customer one is (docs/reference/client-side.md#identity).
 */
const secrets =
  /(?<name>token|secret|password|passwd|authorization|signature|tracking[_-]?id)(?:(?<quote>["']\s*:\s*)(?:"[^"\\]*(?:\\.[^"\\]*)*"?|'[^']*'?|-?\d[\w.+-]*)|(?<equals>(?:\]|%5D)*=)[^&\s"'\\]+)|(?<report>\/task-results\/)[\w-]+/gis

function masked(...match: unknown[]): string {
  const { name, quote, equals, report } = match.at(-1) as Record<string, string | undefined>
  if (report !== undefined) return `${report}***`
  return quote === undefined ? `${name}${equals}***` : `${name}${quote}"***"`
}

/**
 * An escape in a JSON string. The name of a member may be written with escaped letters (`"acces\u0073_token"`); escapes are
 * matched in pairs of a backslash and what follows, so that an escaped backslash does not begin another one.
 */
const escapes = /\\(?:u00([2-7][0-9a-f])|.)/gis

function unescapeLetter(escaped: string, code: string | undefined): string {
  if (code === undefined) return escaped
  const character = String.fromCharCode(Number.parseInt(code, 16))
  return /[\w-]/.test(character) ? character : escaped
}

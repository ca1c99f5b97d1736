/**
 * Replaces secrets in a text by `***`: the values of members, form fields and query parameters whose name ends like that of
 * a secret (`access_token`, `X-App-Token`, `clientSecret`), and the token in the address of a report. It works on the text,
 * not on parsed JSON: a body may be cut, malformed or no JSON, and parsing a valid one would cost more than the rest of its entry.
 *
 * Each search continues where the last value ended, so the time is proportional to the length.
 */
export function maskSecrets(text: string): string {
  const readable = text.includes('\\u00') ? text.replace(escapes, unescapeLetter) : text
  if (!mayHaveSecrets(readable)) return readable
  let masked = ''
  let done = 0
  secretNames.lastIndex = 0
  for (let found = secretNames.exec(readable); found !== null; found = secretNames.exec(readable)) {
    const from = secretNames.lastIndex
    const isMember = found[1] !== undefined
    const pattern = isMember ? memberValue : fieldValue
    pattern.lastIndex = from
    if (!pattern.test(readable)) continue
    masked += `${readable.slice(done, from)}${isMember ? '"***"' : '***'}`
    done = pattern.lastIndex
    secretNames.lastIndex = done
  }
  return done === 0 ? readable : masked + readable.slice(done)
}

/**
 * A part of every name below. It begins with a letter that is rare in the names and texts of our bodies, so that most are done
 * with after a few fast searches for one letter; the expression takes several times as long.
 */
const rareParts = ['ken', 'king', 'cret', 'wor', 'wd', 'zation', 'gnature', 'k-res']
const rarePartsInCapitals = rareParts.map((part) => part.toUpperCase())

function mayHaveSecrets(text: string): boolean {
  for (const part of rareParts) if (text.includes(part)) return true
  for (const part of rarePartsInCapitals) if (text.includes(part)) return true
  return false
}

/**
 * A name and what stands before its value: group 1 of a member in JSON. `tracking_id`: for some hours it proves to the client side
 * which customer one is (docs/reference/client-side.md#identity).
 */
const secretNames =
  /(?:token|secret|password|passwd|authorization|signature|tracking[_-]?id)(?:(["']\s*:\s*)|(?:\]|%5D)*=)|\/task-results\//gi
/** A string up to its end or that of the text, in either kind of quotes; or a number. */
const memberValue = /"[^"\\]*(?:\\.[^"\\]*)*"?|'[^']*'?|-?\d[\w.+-]*/sy
const fieldValue = /[^&\s"'\\]+/y

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

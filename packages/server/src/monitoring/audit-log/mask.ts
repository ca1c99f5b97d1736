/**
 * Replaces secrets in a text by `***`: the values of members, form fields and query parameters whose name ends like that of
 * a secret (`access_token`, `X-App-Token`, `clientSecret`), and the token in the address of a report. It works on the text,
 * not on parsed JSON: a body may be cut, malformed or no JSON, and parsing a valid one would cost more than the rest of its entry.
 */
export function maskSecrets(text: string): string {
  let masked = text.includes('\\u00') ? text.replace(escapes, unescapeLetter) : text
  for (const { part, part_in_capitals, name } of secrets)
    if (masked.includes(part) || masked.includes(part_in_capitals)) masked = withoutValuesOf(name, masked)
  return masked
}

/**
 * The names of secrets and what stands before the value: group 1 of a member in JSON. Each with a part of the name that begins with a
 * letter which is rare in bodies: most bodies are done with after these searches, each for one letter, and a single name is
 * found much faster than one of many. `tracking_id`: for some hours it proves to the client side which customer one is
 * (docs/reference/client-side.md#identity).
 */
const secrets = [
  { part: 'ken', name: /token(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'cret', name: /secret(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'word', name: /password(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'wd', name: /passwd(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'zation', name: /authorization(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'gnature', name: /signature(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'king', name: /tracking[_-]?id(?:(["']\s*:\s*)|(?:\]|%5D)*=)/gi },
  { part: 'k-results', name: /\/task-results\//gi },
].map((secret) => ({ ...secret, part_in_capitals: secret.part.toUpperCase() }))

/** Each search continues where the last value ended, so the time is proportional to the length. */
function withoutValuesOf(name: RegExp, text: string): string {
  let masked = ''
  let done = 0
  name.lastIndex = 0
  for (let found = name.exec(text); found !== null; found = name.exec(text)) {
    const from = name.lastIndex
    const isMember = found[1] !== undefined
    const value = isMember ? memberValue : fieldValue
    value.lastIndex = from
    if (!value.test(text)) continue
    masked += `${text.slice(done, from)}${isMember ? '"***"' : '***'}`
    done = value.lastIndex
    name.lastIndex = done
  }
  return done === 0 ? text : masked + text.slice(done)
}

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

import { proofRest, proofStart } from '../../core/http/tracking-id.ts'
import { decodeLetters, withEncodedLetters } from '../../core/lib/percent-encoding.ts'

/**
 * Replaces secrets in a text by `***`: the values of members, form fields and query parameters whose name ends like that of
 * a secret (`access_token`, `X-App-Token`, `clientSecret`), the token in the address of a report, tracking ids that prove a
 * customer, and the credentials in a URL or after the name of their scheme. It works on the text, not on parsed JSON: a body may
 * be cut, malformed or no JSON, and parsing a valid one would cost more than the rest of its entry. What was valid JSON stays
 * valid, unless a string in it leaves a single quote open after such a name.
 */
export function maskSecrets(text: string): string {
  let masked = text.includes('\\u00') ? text.replace(escapes, unescapeLetter) : text
  let searched = masked.toLowerCase()
  const isEncoded = searched.includes('%') && encodedLetter.test(searched)
  if (isEncoded) searched = decodeLetters(searched).toLowerCase()
  const found = secretsIn(searched)
  if (found === 0) return masked
  for (let place = 0, left = found; left !== 0; place += 1, left >>= 1)
    if ((left & 1) === 1) masked = (secrets[place] as Secret).mask(masked, isEncoded)
  return masked
}

/** The part of a text to replace, and by what. */
interface Value {
  from: number
  to: number
  mask: string
}

interface Secret {
  /**
   * In small letters; a text without any of them is done with, as most bodies are. They begin with letters that are rare in
   * bodies (`secretsIn`); where a name has no such letter, an expression takes less time.
   */
  parts: string[] | RegExp
  /** The characters that may stand before a part which is also a word of its own. */
  precededBy?: string
  /** Returns the text without its values. `isEncoded`: also with percent-encoded letters, which takes longer. */
  mask(text: string, isEncoded: boolean): string
}

/** The value after such a name, which ends at `from`; null if there is none. */
type ValueAfter = (text: string, found: RegExpExecArray, from: number) => Value | null

/** Between the name of an authentication scheme and the credentials. */
const schemeSpace = String.raw`(?:\s|%20|\+)+`

/** White space, also as it is written in JSON within a string. */
const space = String.raw`(?:\s|\\{1,15}[nrt])*`
const encodedSpace = String.raw`(?:\s|%20|\+)*`
/** Further levels of a field: `[conditions]`, `[$is]`, `[0]`. */
const brackets = String.raw`(?:\[|%5B)(?:[^[\]&\s"'\\=%]|%(?!5[BD])){0,64}(?:\]|%5D)`

/**
 * What follows a name: 1 and 2: the backslashes and the quote at the end of the name of a member; 3: the quote, encoded in a URL; 4: `=`,
 * or its encoding; 5: a colon after a name without quotes.
 */
const separator = [
  String.raw`(\\{0,15})(["'])${space}:${space}`,
  `(%(?:25)*22)${encodedSpace}(?:%(?:25)*3A|:)${encodedSpace}`,
  String.raw`(?:${brackets}|\]|%5D){0,16}${encodedSpace}(=|%(?:25)*3D)`,
  `(${encodedSpace}(?::|%3A)${encodedSpace})`,
].join('|')

/** `tracking_id`: for some hours it proves to the client side which customer one is (docs/reference/client-side.md#identity). */
const secrets: Secret[] = [
  named(['ken'], 'tokens?(?:[_-]?values?)?'),
  named(/secret|creden/, '(?:secrets?|credentials?)'),
  { ...named(['key'], '(?<=(?:secret|api|private|access)[_-]?)keys?'), precededBy: '_-tise' },
  named(['word'], 'passwords?(?:[_-]?confirmation)?'),
  named(['wd'], 'p(?:ass)?wds?'),
  named(['hrase'], 'passphrases?'),
  named(['kie'], 'cookies?'),
  named(['jwt'], 'jwts?'),
  named(['zation'], 'authorizations?'),
  named(['gnatur'], 'signatures?'),
  named(['king_id', 'king-id', 'kingid'], 'tracking[_-]?ids?'),
  word(['k-results'], String.raw`task-results\\*/`, patternAt(/[^&\s"'\\]+/y)),
  // A tracking id that proves a customer, wherever it is.
  word(['k_v2'], proofStart, patternAt(new RegExp(proofRest, 'iy'))),
  word(['bearer'], 'bearer', patternAt(/[\w.~+/=%-]{16,}/y), schemeSpace),
  word(['basic'], 'basic', basicCredentials, schemeSpace),
  { parts: ['@'], mask: withoutUserInfo },
]

/** The secrets of which a text contains a part, as the bits of their places. */
function secretsIn(searched: string): number {
  let found = 0
  for (const { part, bit } of aloneParts) if (searched.includes(part)) found |= bit
  for (const { letter, candidates } of sharedLetters)
    for (let at = searched.indexOf(letter); at >= 0; at = searched.indexOf(letter, at + 1)) {
      const second = searched.charCodeAt(at + 1)
      for (const { part, secondOfPart, precededBy, bit } of candidates)
        if (second === secondOfPart && searched.startsWith(part, at))
          if (precededBy === undefined || precededBy.includes(searched.charAt(at - 1))) found |= bit
    }
  for (const { expression, bit } of expressions) if (expression.test(searched)) found |= bit
  return found
}

const candidates = secrets.flatMap(({ parts, precededBy }, place) =>
  parts instanceof RegExp
    ? []
    : parts.map((part) => ({ part, secondOfPart: part.charCodeAt(1), precededBy, bit: 1 << place })),
)
const byLetter = [...Map.groupBy(candidates, ({ part }) => part.charAt(0))].map(([letter, ofLetter]) => ({
  letter,
  candidates: ofLetter,
}))
/** `includes` takes longer the more often the first letter occurs. So parts that share a letter are looked for at once. */
const sharedLetters = byLetter.filter((each) => each.candidates.length > 1)
const aloneParts = byLetter.flatMap((each) => (each.candidates.length > 1 ? [] : each.candidates))
const expressions = secrets.flatMap(({ parts }, place) =>
  parts instanceof RegExp ? { expression: parts, bit: 1 << place } : [],
)

/** A secret that has a name. */
function named(parts: Secret['parts'], name: string): Secret {
  return { parts, mask: maskAfter(name, `(?:${separator})`, namedValue) }
}

/** A secret that is known by how it begins, and by what stands between that and the value. */
function word(parts: string[], start: string, valueAfter: ValueAfter, after = ''): Secret {
  return { parts, mask: maskAfter(start, after, valueAfter) }
}

function maskAfter(name: string, after: string, valueAfter: ValueAfter): Secret['mask'] {
  const plain = new RegExp(name + after, 'gi')
  const encoded = new RegExp(withEncodedLetters(name) + after, 'gi')
  return (text, isEncoded) => withoutValues(text, isEncoded ? encoded : plain, valueAfter)
}

function patternAt(value: RegExp): ValueAfter {
  return (text, _, from) => matchAt(value, text, from, '***')
}

/** Each search continues where the last value ended, so the time is proportional to the length. */
function withoutValues(text: string, name: RegExp, valueAfter: ValueAfter): string {
  let masked = ''
  let done = 0
  name.lastIndex = 0
  for (let found = name.exec(text); found !== null; found = name.exec(text)) {
    const value = valueAfter(text, found, name.lastIndex)
    if (value === null) continue
    masked += text.slice(done, value.from) + value.mask
    done = value.to
    name.lastIndex = done
  }
  return done === 0 ? text : masked + text.slice(done)
}

function namedValue(text: string, found: RegExpExecArray, from: number): Value | null {
  const [, backslashes, nameQuote, encodedQuote, equals] = found
  if (backslashes !== undefined) return memberValue(text, from, nameQuote as string, levelOf(backslashes.length))
  if (encodedQuote !== undefined) return matchAt(encodedValue, text, from, `${encodedQuote}***${encodedQuote}`)
  if (equals !== undefined) return matchAt(equals === '=' ? fieldValue : encodedFieldValue, text, from, '***')
  return quotedText(text, from) ?? matchAt(bareValue, text, from, '***')
}

/** A parameter; in JSON, `/` may be written as `\/`. */
const fieldValue = /(?:[^&\s"'\\]|\\\/)+/y
/** A parameter of a URL that is encoded as a whole: it ends at an encoded `&`. */
const encodedFieldValue = /(?:[^&\s"'\\%]|%(?!(?:25)*26))+/iy
/** A string up to its end, in JSON that is encoded in a URL; other values up to the end of the parameter. */
const encodedValue = /%(?:25)*22(?:[^&\s"'\\%]|%(?!(?:25)*22))*(?:%(?:25)*22)?|(?:%(?:25)*[57]B|[-[{\d])[^&\s"'\\]*/iy
/** After a name without quotes, as in headers: credentials after their scheme, a number, or a long word. Short words may be prose. */
const bareValue = /(?:bearer|basic)(?:\s|%20|\+)+[^\s"'\\,]+|-?\d[\w.+-]*|[\w.~+/=%-]{16,}/iy
const number = /-?\d[\w.+-]*/y

function matchAt(value: RegExp, text: string, from: number, mask: string): Value | null {
  value.lastIndex = from
  return value.test(text) ? { from, to: value.lastIndex, mask } : null
}

/** Base64 of a name and a password; other words may be prose. */
function basicCredentials(text: string, _: RegExpExecArray, from: number): Value | null {
  const value = matchAt(base64, text, from, '***')
  if (value === null) return null
  const decoded = Buffer.from(decodeLetters(text.slice(value.from, value.to)), 'base64').toString('latin1')
  return decoded.includes(':') && !/\p{Cc}/u.test(decoded) ? value : null
}

const base64 = /[\w+/-]{4,}(?:=|%3D){0,2}/iy

/** A URL without user name and password, which stand between `//` and `@`; a text with an `@` may have none, and e-mail addresses. */
function withoutUserInfo(text: string, isEncoded: boolean): string {
  if (isEncoded) return text.replace(encodedUserInfo, '$1***')
  let masked = ''
  let done = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at
    const least = Math.max(done, at - userInfoLengthMax)
    while (from > least && !endsUserInfo(text.charCodeAt(from - 1))) from -= 1
    if (from === at || text[from - 1] !== '/' || !/\/\\*\/$/.test(text.slice(Math.max(0, from - 4), from))) continue
    masked += `${text.slice(done, from)}***`
    done = at
  }
  return done === 0 ? text : masked + text.slice(done)
}

const userInfoLengthMax = 512
const encodedUserInfo = /((?:\/|%2F){2})(?:[^\s/?#@"'\\&%]|%(?!2F|40|3F|26|22|23)){1,512}(?=@|%40)/gi

/** White space, a quote, a slash or backslash, or another `@`. */
const endsUserInfo = (code: number): boolean =>
  code <= 0x20 || code === 0x22 || code === 0x27 || code === 0x2f || code === 0x5c || code === 0x40

/**
 * How often the quote after so many backslashes is escaped: 0 for `"`, 1 for `\"` in a string, 2 for `\\\"` in a string within a string.
 * Backslashes before that belong to the text: `\\"` is an escaped backslash and a quote of level 0.
 */
const levelOf = (backslashes: number): number => 31 - Math.clz32((backslashes + 1) & -(backslashes + 1))

const backslashesOf = (level: number): number => 2 ** level - 1

const maskAt = (quote: string, level: number): string => {
  const mark = '\\'.repeat(backslashesOf(level)) + quote
  return `${mark}***${mark}`
}

/** The value of a member whose name ends with a quote of this level: a string, a number, or a whole array or object. */
function memberValue(text: string, from: number, nameQuote: string, level: number): Value | null {
  const string = stringValue(text, from, level)
  if (string !== null) return string
  const mask = maskAt(nameQuote, level)
  if (text[from] !== '[' && text[from] !== '{') return matchAt(number, text, from, mask)
  return { from, to: endOfValue(text, from, nameQuote, level), mask }
}

function stringValue(text: string, from: number, nameLevel: number): Value | null {
  let at = from
  while (text[at] === '\\') at += 1
  const quote = text[at]
  if (quote !== '"' && quote !== "'") return null
  const level = levelOf(at - from)
  if (level < nameLevel) return null // the end of the string that this JSON is in
  const start = at - backslashesOf(level)
  return { from: start, to: endOfValue(text, start, quote, level), mask: maskAt(quote, level) }
}

/** A string after a name without quotes; not if the quote may as well end a text: `"a token:","b"`. */
function quotedText(text: string, from: number): Value | null {
  const value = stringValue(text, from, 0)
  endOfText.lastIndex = from
  return value === null || endOfText.test(text) ? null : value
}

const endOfText = /\\*"\s*(?:[,:}\]]|$)/y

/**
 * Where the string, array or object ends that begins here; at the latest where the string ends that it is in, or the text. Quotes of
 * a higher level are escaped ones within its strings.
 */
function endOfValue(text: string, from: number, quote: string, level: number): number {
  const quoteCode = quote.charCodeAt(0)
  let depth = 0
  let isText = false
  let backslashes = 0
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) {
      backslashes += 1
      continue
    }
    if (code === quoteCode) {
      const found = levelOf(backslashes)
      if (found < level) return at - backslashesOf(found)
      if (found === level) {
        isText = !isText
        if (!isText && depth === 0) return at + 1
      }
    } else if (code === 0x22 && depth > 0) {
      return at - backslashes // an array in single quotes ends with the JSON string that it is in
    } else if (!isText) {
      if (code === 0x5b || code === 0x7b) depth += 1
      else if (code === 0x5d || code === 0x7d) {
        depth -= 1
        if (depth === 0) return at + 1
      }
    }
    backslashes = 0
  }
  return text.length - (backslashes % 2)
}

/**
 * An escape in a JSON string. The name of a member may be written with escaped letters (`"acces\u0073_token"`); escapes are
 * matched in pairs of a backslash and what follows, so that an escaped backslash does not begin another one.
 */
const escapes = /\\(?:u00([2-7][0-9a-f])|.)/gis

function unescapeLetter(escaped: string, code: string | undefined): string {
  if (code === undefined) return escaped
  const character = String.fromCharCode(Number.parseInt(code, 16))
  return /[\w.-]/.test(character) ? character : escaped
}

const encodedLetter = /%[2-7][\da-f]/

import { limits } from '../../core/lib/limits.ts'

/** A reply wraps what a body may hold into a few more levels. */
const levelsMax = limits.body_nesting_max + 20

/**
 * Whether a text is a JSON object or array that a reply can contain as it is. It builds no values: those of a body of 64 KiB may
 * take some megabytes and milliseconds. Text that is nested too deeply is refused, because parsers of readers recurse.
 */
export function isJson(text: string): boolean {
  /** By level, the character that closes it. */
  const closing = new Uint8Array(levelsMax + 1)
  let level = 0
  let at = afterSpace(text, 0)
  if (text[at] !== '{' && text[at] !== '[') return false
  for (;;) {
    // At a value.
    const first = text.charCodeAt(at)
    if (first === openObject || first === openArray) {
      if (level === levelsMax) return false
      level += 1
      closing[level] = first === openObject ? closeObject : closeArray
      at = afterSpace(text, at + 1)
      if (text.charCodeAt(at) !== closing[level]) {
        if (first === openObject) at = afterName(text, at)
        if (at < 0) return false
        continue
      }
    } else {
      at = first === quote ? afterString(text, at) : afterLiteral(text, at)
      if (at < 0) return false
      at = afterSpace(text, at)
    }
    // After a value, or at the end of an empty object or array.
    while (text.charCodeAt(at) === closing[level]) {
      level -= 1
      at = afterSpace(text, at + 1)
      if (level === 0) return at === text.length
    }
    if (text.charCodeAt(at) !== comma) return false
    at = afterSpace(text, at + 1)
    if (closing[level] === closeObject) at = afterName(text, at)
    if (at < 0) return false
  }
}

const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

function afterSpace(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
  }
}

/** Where the value of a member begins; -1 if there is no member. */
function afterName(text: string, from: number): number {
  if (text.charCodeAt(from) !== quote) return -1
  const end = afterString(text, from)
  if (end < 0) return -1
  const at = afterSpace(text, end)
  return text.charCodeAt(at) === colon ? afterSpace(text, at + 1) : -1
}

/** Where a string ends that begins here; -1 if it does not. */
function afterString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code < 0x20) return -1
    if (code === backslash) {
      escapeSequence.lastIndex = at
      if (!escapeSequence.test(text)) return -1
      at = escapeSequence.lastIndex - 1
    }
  }
  return -1
}

const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function afterLiteral(text: string, from: number): number {
  literal.lastIndex = from
  return literal.test(text) ? literal.lastIndex : -1
}

const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

import { randomFillSync } from 'node:crypto'
import type { Project } from '../../core/db/project-row.ts'
import type { CodeConfig } from '../../core/db/tables.ts'
import { ApiError } from '../../core/http/errors.ts'

export const invalidCodeConfig = (details: string): ApiError => new ApiError('invalid_code_config', { details })

/** A place that is drawn. */
const place = '#'
const lengthDefault = 8
const charsetDefault = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

type ProjectCodes = Pick<Project, 'case_sensitive_codes' | 'default_code_config'>

/** A code configuration, complete (docs/reference/codes.md#code-configuration); refuses what cannot yield a valid code. */
export function readCodeConfig(sent: object | null | undefined, project: ProjectCodes): CodeConfig {
  const { length, charset, prefix, postfix, pattern } = (sent ?? {}) as Record<keyof CodeConfig, unknown>
  for (const [name, value] of Object.entries({ charset, prefix, postfix, pattern }))
    if (value != null && (typeof value !== 'string' || value.length > textLengthMax))
      throw invalidCodeConfig(`Property .code_config.${name} must be string of at most ${textLengthMax} characters`)
  if (length != null && !(Number.isInteger(length) && (length as number) >= 1))
    throw invalidCodeConfig('Property .code_config.length must be an integer from 1 on')
  if (charset === '') throw invalidCodeConfig('Property .code_config.charset must have at least one character')
  if (typeof length === 'number' && length > codeLengthMax)
    throw invalidCodeConfig(`Property .code_config.length must not be more than ${codeLengthMax}`)

  const filled = (pattern as string | null | undefined) ?? place.repeat((length as number | null) ?? lengthDefault)
  const config: CodeConfig = {
    length: filled.split(place).length - 1,
    charset: (charset as string | null | undefined) ?? project.default_code_config?.charset ?? charsetDefault,
    pattern: filled,
    ...(prefix == null || prefix === '' ? {} : { prefix: prefix as string }),
    ...(postfix == null || postfix === '' ? {} : { postfix: postfix as string }),
  }
  const reason = whyNotConfig(config)
  if (reason !== null) throw invalidCodeConfig(reason)
  return config
}

const codeLengthMax = 255

/** Why a text cannot be a code (docs/reference/codes.md#valid-codes), or null. */
export function whyNotCode(code: string): string | null {
  if (code === '') return 'A code must have at least one character'
  if ([...code].length > codeLengthMax) return `A code must not have more than ${codeLengthMax} characters`
  return /\p{Cc}/u.test(code) ? 'A code must not have control characters' : null
}

function whyNotConfig({ charset, pattern, prefix = '', postfix = '' }: CodeConfig): string | null {
  if (charset.length > charsetLengthMax)
    return `Property .code_config.charset must not be longer than ${charsetLengthMax}`
  const symbols = symbolsOf(charset)
  if (symbols.some((symbol) => /[\p{Cc}\s]/u.test(symbol)))
    return 'Property .code_config.charset must not have white space or control characters'
  const longest = `${prefix}${pattern.replaceAll(place, symbols[0] as string)}${postfix}`
  if (longest !== longest.trim()) return 'A code must not begin or end with white space'
  return whyNotCode(longest)
}

const charsetLengthMax = 256
/** Longer than any part of a code, and soon looked through. */
const textLengthMax = 1_000

/** The characters to draw from, each once. */
const symbolsOf = (charset: string): string[] => [...new Set(charset)]

/** How many different codes there can be. Where case makes no difference, letters that differ only in it are one. */
export function capacityOf({ charset, length }: CodeConfig, { case_sensitive_codes }: ProjectCodes): bigint {
  const symbols = case_sensitive_codes ? charset : charset.toLowerCase()
  return BigInt(symbolsOf(symbols).length) ** BigInt(length)
}

/** Draws codes of a configuration, one with each call: every possible one is equally likely. */
export function codeSource(config: CodeConfig): () => string {
  const { charset, pattern, prefix = '', postfix = '' } = config
  const symbols = symbolsOf(charset)
  const fair = fairBelow(symbols.length)
  const parts = `${prefix}${pattern}${postfix}`
  const from = [...prefix].length
  const places = [...parts].map((character, index) => {
    const isPlace = character === place && index >= from && index < from + [...pattern].length
    return isPlace ? null : character
  })
  return () => {
    let code = ''
    for (const literal of places) code += literal ?? symbols[below(symbols.length, fair)]
    return code
  }
}

/** The codes of a configuration by number, from 0 to its capacity: for those that are nearly used up. */
export function countedCodes(config: CodeConfig, project: ProjectCodes): (index: number) => string {
  const { charset, pattern, prefix = '', postfix = '' } = config
  // Letters that are the same stand in the case in which they were given first.
  const symbols = new Map([...charset].reverse().map((symbol) => [fold(symbol, project), symbol]))
  const written = [...symbols.values()]
  const places = [...pattern]
  return (index) => {
    let rest = index
    let filled = ''
    for (const character of places) {
      if (character !== place) filled += character
      else {
        filled += written[rest % written.length]
        rest = Math.floor(rest / written.length)
      }
    }
    return `${prefix}${filled}${postfix}`
  }
}

const fold = (text: string, { case_sensitive_codes }: ProjectCodes): string =>
  case_sensitive_codes ? text : text.toLowerCase()

/** A regular expression of the database for the keys of all codes of a configuration, and what they begin with. */
export function keyPattern(config: CodeConfig, project: ProjectCodes): { prefix: string; pattern: string } {
  const { charset, pattern, prefix = '', postfix = '' } = config
  const escaped = (text: string) => fold(text, project).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  const set = `(?:${symbolsOf(fold(charset, project)).map(escaped).join('|')})`
  const places = [...pattern].map((character) => (character === place ? set : escaped(character))).join('')
  const literal = pattern.slice(0, pattern.indexOf(place) < 0 ? undefined : pattern.indexOf(place))
  return { prefix: fold(prefix + literal, project), pattern: `^${escaped(prefix)}${places}${escaped(postfix)}$` }
}

/** A whole number from 0 on, below the limit, each equally likely. */
export const randomBelow = (limit: number): number => below(limit, fairBelow(limit))

/** What is drawn from here on would favour the first numbers below the limit, and is thrown away. */
const fairBelow = (limit: number): number => 2 ** 32 - (2 ** 32 % limit)

const chance = new Uint32Array(4_096)
let used = chance.length

function below(limit: number, fair: number): number {
  for (;;) {
    if (used === chance.length) {
      randomFillSync(chance)
      used = 0
    }
    const drawn = chance[used++] as number
    if (drawn < fair) return drawn % limit
  }
}

import { randomFillSync } from 'node:crypto'
import type { Project } from '../../core/db/project-row.ts'
import type { CodeConfig } from '../../core/db/tables.ts'
import { refuseWith, under } from '../../core/http/errors.ts'

export const invalidCodeConfig = refuseWith('invalid_code_config')

/** Placeholder for a random character. */
const placeholder = '#'
const lengthDefault = 8
const charsetDefault = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

type ProjectCodes = Pick<Project, 'case_sensitive_codes' | 'default_code_config'>

/**
 * Completes a code configuration with defaults (docs/reference/codes.md#code-configuration); refuses one that cannot
 * produce a valid code. `parent` is the path of what contains it in the request.
 */
export function readCodeConfig(sent: object | null | undefined, project: ProjectCodes, parent = ''): CodeConfig {
  const refuse = under(parent, invalidCodeConfig)
  const { length, charset, prefix, postfix, pattern } = (sent ?? {}) as Record<keyof CodeConfig, unknown>
  for (const [name, value] of Object.entries({ charset, prefix, postfix, pattern }))
    if (value != null && (typeof value !== 'string' || value.length > textLengthMax))
      throw refuse(`Property .code_config.${name} must be string of at most ${textLengthMax} characters`)
  if (length != null && !(Number.isInteger(length) && (length as number) >= 1))
    throw refuse('Property .code_config.length must be an integer from 1 on')
  if (charset === '') throw refuse('Property .code_config.charset must have at least one character')
  if (typeof length === 'number' && length > codeLengthMax)
    throw refuse(`Property .code_config.length must not be more than ${codeLengthMax}`)

  const fullPattern =
    (pattern as string | null | undefined) ?? placeholder.repeat((length as number | null) ?? lengthDefault)
  const config: CodeConfig = {
    length: fullPattern.split(placeholder).length - 1,
    charset: (charset as string | null | undefined) ?? project.default_code_config?.charset ?? charsetDefault,
    pattern: fullPattern,
    ...(prefix == null || prefix === '' ? {} : { prefix: prefix as string }),
    ...(postfix == null || postfix === '' ? {} : { postfix: postfix as string }),
  }
  const reason = whyNotConfig(config)
  if (reason !== null) throw refuse(reason)
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
  const longest = `${prefix}${pattern.replaceAll(placeholder, symbols[0] as string)}${postfix}`
  if (longest !== longest.trim()) return 'A code must not begin or end with white space'
  return whyNotCode(longest)
}

const charsetLengthMax = 256
/** Longer than any part of a code, and still fast to check. */
const textLengthMax = 1_000

/** The distinct characters to draw from. */
const symbolsOf = (charset: string): string[] => [...new Set(charset)]

/** The number of different codes. If codes are case-insensitive, letters that differ only in case count once. */
export function capacityOf({ charset, length }: CodeConfig, { case_sensitive_codes }: ProjectCodes): bigint {
  const symbols = case_sensitive_codes ? charset : charset.toLowerCase()
  return BigInt(symbolsOf(symbols).length) ** BigInt(length)
}

/** Returns a function that draws a random code with each call, every possible code with equal probability. */
export function codeSource(config: CodeConfig): () => string {
  const { charset, pattern, prefix = '', postfix = '' } = config
  const symbols = symbolsOf(charset)
  const rejectFrom = biasedFrom(symbols.length)
  const parts = `${prefix}${pattern}${postfix}`
  const from = [...prefix].length
  const places = [...parts].map((character, index) => {
    const isPlace = character === placeholder && index >= from && index < from + [...pattern].length
    return isPlace ? null : character
  })
  return () => {
    let code = ''
    for (const literal of places) code += literal ?? symbols[below(symbols.length, rejectFrom)]
    return code
  }
}

/** Enumerates the codes of a configuration, from 0 to its capacity, for configurations that are nearly exhausted. */
export function enumerateCodes(config: CodeConfig, project: ProjectCodes): (index: number) => string {
  const { charset, pattern, prefix = '', postfix = '' } = config
  // Of letters that differ only in case, the first one in the charset is used.
  const symbols = new Map([...charset].reverse().map((symbol) => [fold(symbol, project), symbol]))
  const distinctSymbols = [...symbols.values()]
  const places = [...pattern]
  return (index) => {
    let rest = index
    let body = ''
    for (const character of places) {
      if (character !== placeholder) body += character
      else {
        body += distinctSymbols[rest % distinctSymbols.length]
        rest = Math.floor(rest / distinctSymbols.length)
      }
    }
    return `${prefix}${body}${postfix}`
  }
}

const fold = (text: string, { case_sensitive_codes }: ProjectCodes): string =>
  case_sensitive_codes ? text : text.toLowerCase()

/** A PostgreSQL regular expression that matches the code keys of a configuration, and their common prefix. */
export function keyPattern(config: CodeConfig, project: ProjectCodes): { prefix: string; pattern: string } {
  const { charset, pattern, prefix = '', postfix = '' } = config
  const escaped = (text: string) => fold(text, project).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
  const set = `(?:${symbolsOf(fold(charset, project)).map(escaped).join('|')})`
  const places = [...pattern].map((character) => (character === placeholder ? set : escaped(character))).join('')
  const literal = pattern.slice(0, pattern.indexOf(placeholder) < 0 ? undefined : pattern.indexOf(placeholder))
  return { prefix: fold(prefix + literal, project), pattern: `^${escaped(prefix)}${places}${escaped(postfix)}$` }
}

/** A uniformly distributed random integer from 0 to limit - 1. */
export const randomBelow = (limit: number): number => below(limit, biasedFrom(limit))

/** Random values from here on would favour the smallest results (modulo bias) and are rejected. */
const biasedFrom = (limit: number): number => 2 ** 32 - (2 ** 32 % limit)

const randomValues = new Uint32Array(4_096)
let randomValuesUsed = randomValues.length

function below(limit: number, rejectFrom: number): number {
  for (;;) {
    if (randomValuesUsed === randomValues.length) {
      randomFillSync(randomValues)
      randomValuesUsed = 0
    }
    const value = randomValues[randomValuesUsed++] as number
    if (value < rejectFrom) return value % limit
  }
}

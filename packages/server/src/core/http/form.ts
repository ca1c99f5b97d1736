import { unescape as percentDecoded } from 'node:querystring'
import { limits } from '../lib/limits.ts'
import { invalidPayload } from './errors.ts'

/** The fields of a form body; more than a form has are refused before any is parsed. */
export function readForm(bytes: Buffer): Record<string, string> {
  let fields = 1
  for (const byte of bytes) if (byte === ampersand) fields += 1
  if (fields > limits.form_fields_max) throw invalidPayload(`Payload has more than ${limits.form_fields_max} fields`)
  return fieldsOf(bytes.toString('utf8'))
}

const ampersand = 0x26

/**
 * The fields in the text of a form; of several with one name, the last. Not by `URLSearchParams`, which takes time in the square of
 * the number of pairs without `=`: seconds for 1 MB.
 */
export const fieldsOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split('&').flatMap((pair) => (pair === '' ? [] : [fieldOf(pair)])))

function fieldOf(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=')
  return at < 0 ? [decoded(pair), ''] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))]
}

const decoded = (text: string): string => percentDecoded(text.replaceAll('+', ' '))

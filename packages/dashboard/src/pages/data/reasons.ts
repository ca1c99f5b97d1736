import { knownColumn } from './import-kinds.ts'

/** Members of an object of the API that a column of a file fills under another name. */
const columnsOfMembers: Record<string, string> = {
  percent_off: 'Value',
  amount_off: 'Value',
  fixed_amount: 'Value',
  unit_off: 'Value',
  percent_off_formula: 'Formula',
  amount_off_formula: 'Formula',
  fixed_amount_formula: 'Formula',
  unit_off_formula: 'Formula',
  effect: 'Discount Effect',
  unit_type: 'Discount Unit Type',
}

/** What the service calls things, for a person. */
const things: Record<string, string> = {
  voucher: 'code',
  validation_rules: 'validation rule',
  sku: 'product variant',
  source_id: 'source id',
}
const thing = (name: string) => things[name] ?? name.replaceAll('_', ' ')

type Say = (parts: string[]) => string

/** What the service says after the name of a field, and the rest of the sentence for a person. */
const faults: [pattern: RegExp, say: Say][] = [
  [/^(?:is required|must not be empty)$/, () => 'is empty, and every row needs it'],
  [/^must be (?:an )?integer$/, () => 'must be a whole number'],
  [/^must (?:not be less than|be >=) (-?\d+)$/, ([least]) => `must be ${least} or more`],
  [/^must be <= (-?\d+)$/, ([most]) => `must be ${grouped(most)} or less`],
  [/^must not have more than (\d+) characters$/i, ([most]) => `is longer than ${grouped(most)} characters`],
  [/^cannot be recognized as a ISO-8601/, () => 'must be a date such as 2030-08-31'],
  [/^must be equal to one of the allowed values \[ (.*) \]$/, ([values]) => `must be one of ${values}`],
  [/^is no formula: (.*)$/, ([why]) => `cannot be calculated: ${why}`],
  [/^must not be more than (.*)$/, ([most = '']) => `must not be more than ${quoted(most) ?? most}`],
  [/^must be a JSON object$/, () => 'must be written like {"colour": "red"}'],
  [/^must be a valid URL$/, () => 'must be an address that begins with https://'],
  [/^(must .*)$/, ([words = '']) => words],
]

/** What the service says as a whole. */
const sentences: [pattern: RegExp, say: Say][] = [
  [/^Property \.expiration_date must not be earlier than \.start_date$/, () => 'It expires before it starts.'],
  [/^Cannot find (\w+) with id (.*)$/, ([name = '', id]) => `There is no ${thing(name)} “${id}”.`],
  [
    /^Duplicated voucher exists with id (.*)$/,
    ([code]) => `The code “${code}” exists already, elsewhere or in the bin.`,
  ],
  [
    /^Duplicated (\w+) exists with (\w+) (.*)$/,
    ([name = '', key = '', id]) =>
      `A ${thing(name)} with the ${thing(key)} “${id}” exists already, elsewhere or in the bin.`,
  ],
  [
    /^Resource (\w+) with id (.*) is built in and cannot be changed$/,
    ([name = '', id]) => `The ${thing(name)} “${id}” is built in and cannot be changed.`,
  ],
  [/^A campaign can have at most (\d+) vouchers$/, ([most]) => `A campaign can have at most ${grouped(most)} codes.`],
  [
    /^The row has (\d+) cells where the header has (\d+)$/,
    ([count, wanted]) =>
      `The row has ${count} ${count === '1' ? 'cell' : 'cells'}, the first row of the file ${wanted}.`,
  ],
  // Metadata, against the schema that the shop gave it.
  [
    /^([^:;]+): (must be [^;]*)$/,
    ([key, wanted = '']) => `“${key}” ${wanted.replace('property is required', 'is required')}.`,
  ],
]

const grouped = (digits: string | undefined) => Number(digits).toLocaleString('en-GB')

/** Why a row failed, as a sentence that names the column of the file; the service's own words where the field is not known. */
export function reasonSentence(reason: string): string {
  for (const [pattern, say] of sentences) {
    const match = pattern.exec(reason)
    if (match) return say(match.slice(1))
  }
  return aboutField(reason) ?? withStop(reason.slice(0, 1).toUpperCase() + reason.slice(1))
}

/** "Property .price must be >= 0", "Column name must not be empty" and "Value is required" name a field first. */
function aboutField(reason: string): string | undefined {
  const [, field = '', fault = ''] = /^(.{1,300}?) ((?:must|is|cannot) .*)$/.exec(reason) ?? []
  const column = quoted(field.replace(/^(?:Property \.|Column )/, ''))
  if (column === undefined) return undefined
  for (const [pattern, say] of faults) {
    const match = pattern.exec(fault)
    if (match) return withStop(`${column} ${say(match.slice(1))}`)
  }
  return undefined
}

/** The column as the import calls it, in quotation marks; undefined for what is no column. */
function quoted(field: string): string | undefined {
  const member = field.slice(field.lastIndexOf('.') + 1)
  const column = columnsOfMembers[member] ?? knownColumn(member)
  return column && `“${column}”`
}

export const withStop = (text: string) => (/[.!?}]$/.test(text) ? text : `${text}.`)

import { kindOf } from '../../words/async-actions.ts'
import { refusalName } from '../../words/refusals.ts'

/** The sentence of the service, with the words of the dashboard in place of its keys. */
export function attentionSentence(
  { message, data }: { message: string; data: Record<string, unknown> },
  money: (cents: number) => string,
): string {
  const { reason, type, used, limit } = data
  let sentence = message
  if (typeof reason === 'string') sentence = sentence.replace(reason, refusalName(reason).toLowerCase())
  if (typeof type === 'string') sentence = sentence.replace(`The job ${type}`, `“${kindOf(type)}”`)
  if (typeof used === 'number' && typeof limit === 'number')
    sentence = sentence.replace(
      /[\d.]{1,20} [A-Z]{3} of [\d.]{1,20} [A-Z]{3}/,
      () => `${money(used)} of ${money(limit)}`,
    )
  return sentence.replaceAll(/"([^"]*)"/g, '“$1”').replaceAll(' %', '\u00a0%')
}

import { invalidQuery } from '../../core/http/errors.ts'
import { momentOf } from '../../core/lib/ids.ts'

/** A place in the order of events: by position, then by the time-ordered part of the id. */
export interface EventPlace {
  position: number
  id: string
}

/** After all events of a position: `~` follows every hexadecimal digit. */
export const endOf = (position: number): EventPlace => ({ position, id: '~' })

export const beginning: EventPlace = { position: 0, id: '' }

/** `{ position: 731, id: 'evcus_19b…' }` → `731_evcus_19b…` */
export const toCursor = ({ position, id }: EventPlace): string => `${position}_${id}`

export function readCursor(text: string): EventPlace {
  const [, position = '', id = ''] = /^(\d{1,15})_([a-z_0-9]{0,40}|~)$/.exec(text) ?? []
  if (position === '') throw invalidQuery('Property .cursor must be the cursor of an earlier page')
  return { position: Number(position), id }
}

/** The moment in the id of a request or a background run, in Unix milliseconds; null if the text is no such id. */
export const momentOfGroup = (groupId: string): number | null =>
  /^[vw]-[0-9a-f]{18}$/.test(groupId) ? momentOf(groupId) : null

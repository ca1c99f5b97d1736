import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'

/** One request to the present service and its answer: docs/move-in/shadow.md#the-log. Other properties are ignored. */
const Exchange = Type.Object({
  at: Type.Optional(Type.String({ maxLength: 40 })),
  method: Type.String(),
  path: Type.String(),
  request: Type.Optional(Type.Unknown()),
  status: Type.Integer(),
  answer: Type.Optional(Type.Unknown()),
})
export type Exchange = Static<typeof Exchange>

/** The exchange in a line, or null if the line is something else. */
export function readExchange(line: string): Exchange | null {
  try {
    const content: unknown = JSON.parse(line)
    return Check(Exchange, content) ? content : null
  } catch {
    return null
  }
}

/** No header is written: credentials are in headers, and only bodies of validations and redemptions are logged. */
export const exchangeLine = ({ at, method, path, request, status, answer }: Exchange): string =>
  `${JSON.stringify({ at, method, path, request, status, answer })}\n`

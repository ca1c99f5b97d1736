import { Type } from 'typebox'
import type { InstallationCtx } from '../context.ts'

/** The member that an answer has if the operation warned of something (core/http/answer.ts adds it). Beyond the public contract. */
export const warnings = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What is probably not meant as it was sent, in sentences; absent if there is nothing to warn of.',
    }),
  ),
}

/** Adds a sentence to the `warnings` of the answer: once, however often the work is repeated. A refusal has none. */
export const warn = (ctx: Pick<InstallationCtx, 'warnings'>, sentence: string): void => void ctx.warnings?.add(sentence)

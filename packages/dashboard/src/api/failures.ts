import type { ApiFailure } from './client.ts'

/** A refusal as a sentence for a person. The service's own `details` is nearly always the best one. */
export function sentenceOf(failure: ApiFailure): string {
  const own = sentences[failure.key]
  if (own !== undefined) return own
  return withStop(failure.details ?? failure.message)
}

const sentences: Record<string, string> = {
  invalid_credentials: 'E-mail and password do not match.',
  second_factor_required: 'Enter the code of your authenticator app.',
  too_many_attempts: 'Too many attempts. Wait a moment, then try again.',
  invalid_link: 'This link has been used or is older than 24 hours. Ask for a new one.',
  not_signed_in: 'Your session has ended. Sign in again.',
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

const sentences: Record<string, string> = {
  not_signed_in: 'Your session has ended. Sign in to go on where you were.',
  password_set: 'Your password is set. Sign in with it.',
  unknown_user: 'Nobody with this e-mail address has been invited. Ask an administrator.',
  email_not_verified: 'Your organisation has not confirmed your e-mail address, so it cannot be used to sign in.',
  domain_not_allowed: 'E-mail addresses of this domain may not sign in here.',
  too_many_attempts: 'Too many attempts. Wait a moment, then try again.',
}

/** What went wrong on the way through the organisation's own sign-in, from `?error=`. Anybody can write an address: unknown keys are not shown. */
export function errorSentence(key: string): string {
  return sentences[key] ?? 'Signing in with your organisation did not work. Try again, or use your password.'
}

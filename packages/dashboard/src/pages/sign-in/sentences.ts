const sentences: Record<string, string> = {
  not_signed_in: 'Your session has ended. Sign in to go on where you were.',
  oidc_off: 'Signing in with an organisation is switched off here. Use your password.',
  oidc_expired: 'Signing in took too long, or was begun in another window. Try again.',
  oidc_unknown_user: 'Nobody with this e-mail address has been invited. Ask an administrator.',
  oidc_email_not_verified: 'Your organisation has not confirmed your e-mail address, so it cannot be used to sign in.',
  oidc_domain_not_allowed: 'E-mail addresses of this domain may not sign in here.',
  too_many_attempts: 'Too many attempts. Wait a moment, then try again.',
}

/** What went wrong on the way through the organisation's own sign-in, from `?error=`. Anybody can write an address: unknown keys are not shown. */
export function errorSentence(key: string): string {
  return sentences[key] ?? 'Signing in with your organisation did not work. Try again, or use your password.'
}

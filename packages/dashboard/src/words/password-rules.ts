interface Rule {
  text: string
  isMet: boolean
}

/** The rules of a password while one types it. The service has the last word: its list of the worst is longer. */
export function rulesOf(password: string, email: string): Rule[] {
  const word = password.toLowerCase()
  return [
    { text: 'At least 12 characters', isMet: [...password].length >= 12 },
    { text: 'At least 5 different characters', isMet: new Set(word).size >= 5 },
    {
      text: 'Not your e-mail address, and none that everybody tries first',
      isMet: password !== '' && word !== email.toLowerCase() && !isCommon(word),
    },
  ]
}

const worst = new Set(
  `password passwordpassword mypassword newpassword secretpassword changeme letmein welcome administrator adminadmin
  adminadminadmin qwertyuiop qwertyqwerty qwerty asdfghjkl 1qaz2wsx3edc 1q2w3e4r5t6y iloveyou iloveyouiloveyou sunshine
  princess football baseball superman starwars secret testpassword testing temporary guerdon guerdonguerdon voucherify
  passw0rd opensesame correcthorsebatterystaple`.split(/\s+/),
)

/** With what many add to them (`!`, `1`, `2024`) the worst are no better. */
function isCommon(word: string): boolean {
  const letters = word.replaceAll(/[^\p{L}\p{N}]/gu, '')
  return worst.has(letters) || worst.has(letters.replace(/(?<!\d)\d+$/, '')) || /^0?123456789\d*$/.test(letters)
}

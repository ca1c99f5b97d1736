import { ApiError } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'

/** Refuses a password that somebody would guess early, and says why. */
export function refuseWeakPassword(password: string, email: string): void {
  const reason = whyWeak(password, email)
  if (reason !== null) throw new ApiError('weak_password', { details: reason })
}

function whyWeak(password: string, email: string): string | null {
  const [min, max] = [limits.password_length_min, limits.password_length_max]
  const characters = [...password]
  if (characters.length < min) return `The password must have at least ${min} characters`
  if (characters.length > max) return `The password must have at most ${max} characters`
  if (password.trim() === '') return 'The password must not consist of spaces'
  const word = password.toLowerCase()
  if (new Set(word).size < distinctMin) return `The password must have at least ${distinctMin} different characters`
  if (word === email.toLowerCase()) return 'The password must not be the e-mail address'
  if (isCommon(word)) return 'The password is one of the most common ones: everybody tries it first'
  return null
}

const distinctMin = 5

/** The worst of those that are long enough: with what many add to them (`!`, `1`, `2024`) they are no better. */
function isCommon(word: string): boolean {
  const letters = word.replaceAll(/[^\p{L}\p{N}]/gu, '')
  return worst.has(letters) || worst.has(letters.replace(/\d{1,4}$/, '')) || isRun(letters)
}

const worst: ReadonlySet<string> = new Set(
  `password password1234 passwordpassword password123456 password12345 mypassword thisismypassword newpassword
  changeme changemechangeme changemeplease changethispassword letmein letmeinletmein letmeinplease welcome
  welcomewelcome welcomehome welcome123456 administrator administrators adminadmin adminadminadmin admin123456
  administrator1 rootroot rootrootroot superuser qwertyuiop qwertyuiopas qwertyqwerty qwertyuiopasdf qwerty123456
  qwerty1234567 1qaz2wsx3edc 1q2w3e4r5t6y 1q2w3e4r5t6y7u qazwsxedcrfv zaq12wsxcde3 asdfghjkl asdfghjklzxcv
  asdfasdfasdf zxcvbnmzxcvbnm iloveyou iloveyouiloveyou iloveyousomuch trustno1trustno1 monkeymonkey dragondragon
  sunshine sunshinesunshine princess princessprincess football footballfootball baseball baseballbaseball
  superman supermansuperman batmanbatman starwars starwarsstarwars master mastermaster secret secretsecret
  secretpassword topsecret testtesttest testpassword testing testingtesting test123456789 guest guestguestguest
  default defaultpassword temppassword temporary temporarypassword correcthorsebatterystaple guerdon
  guerdonguerdon guerdonpassword guerdonadmin voucherify vouchervoucher loyaltyloyalty abc123abc123 a1b2c3d4e5f6
  abcdabcdabcd computer computercomputer internet internetinternet whatever whateverwhatever nopassword
  passw0rdpassw0rd passw0rd p4ssw0rdp4ssw0rd hunter2hunter2 openopenopen sesameopensesame opensesame`.split(/\s+/),
)

/** `123456789012`, `abcdefghijkl` and the same backwards. */
function isRun(text: string): boolean {
  for (const step of [1, -1]) {
    let longest = 1
    for (let at = 1, length = 1; at < text.length; at += 1) {
      const [before, here] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
      const isWrapped = (before === 57 && here === 48) || (before === 48 && here === 57)
      length = here - before === step || isWrapped ? length + 1 : 1
      longest = Math.max(longest, length)
    }
    if (longest >= text.length - 2) return true
  }
  return false
}

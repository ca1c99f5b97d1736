import { createContext, type ReactNode, useContext, useMemo } from 'react'

/** How numbers, money and moments are written: the project's currency and time zone, the browser's language. */
export interface Format {
  currency: string
  timezone: string
  /** Cents as money: `1250` is `€12.50`. */
  money: (cents: number) => string
  /** Money without cents, for axes and large figures: `€12.5K`. */
  shortMoney: (cents: number) => string
  number: (value: number) => string
  shortNumber: (value: number) => string
  /** A fraction as a percentage. */
  percent: (value: number) => string
  /** `14 Mar 2026` */
  date: (instant: string | number | Date) => string
  /** `14 Mar 2026, 09:30` */
  dateTime: (instant: string | number | Date) => string
  /** `14 Mar`: for axes. */
  day: (instant: string | number | Date) => string
  /** `09:30` */
  time: (instant: string | number | Date) => string
  /** The instant with seconds and the zone by name. */
  exact: (instant: string | number | Date) => string
}

/** English words, so English dates and numbers: mixed languages read worse than either. */
const locale = 'en-GB'

const FormatContext = createContext<Format>(newFormat(null, 'UTC'))

export function FormatProvider(props: { currency: string | null; timezone: string; children: ReactNode }) {
  const { currency, timezone } = props
  const format = useMemo(() => newFormat(currency, timezone), [currency, timezone])
  return <FormatContext value={format}>{props.children}</FormatContext>
}

export const useFormat = () => useContext(FormatContext)

export function newFormat(currency: string | null, timezone: string): Format {
  const money = currencyFormat(currency, {})
  const shortMoney = currencyFormat(currency, { notation: 'compact', maximumFractionDigits: 1 })
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const shortNumber = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const moment = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, { timeZone: timezone, ...options })
    return (instant: string | number | Date) => formatter.format(new Date(instant))
  }
  return {
    currency: currency ?? '',
    timezone,
    money: (cents) => money.format(cents / 100),
    shortMoney: (cents) => shortMoney.format(cents / 100),
    number: (value) => number.format(value),
    shortNumber: (value) => shortNumber.format(value),
    percent: (value) => percent.format(value),
    date: moment({ day: 'numeric', month: 'short', year: 'numeric' }),
    dateTime: moment({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }),
    day: moment({ day: 'numeric', month: 'short' }),
    time: moment({ hour: '2-digit', minute: '2-digit' }),
    exact: moment({ dateStyle: 'full', timeStyle: 'long' }),
  }
}

/** Amounts are hundredths of the currency, whatever it is; a project without a currency shows plain numbers. */
function currencyFormat(currency: string | null, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  if (currency) {
    try {
      return new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
        ...digits,
        ...(options.notation && { minimumFractionDigits: 0 }),
        ...options,
      })
    } catch {
      // A code that is no currency: the number alone says more than an error would.
    }
  }
  return new Intl.NumberFormat(locale, { ...digits, ...(options.notation && { minimumFractionDigits: 0 }), ...options })
}

/** An amount of money, aligned in columns. */
export function Money({ cents, signed = false }: { cents: number; signed?: boolean }) {
  const { money } = useFormat()
  return (
    <span className="whitespace-nowrap tabular-nums">
      {signed && cents > 0 ? '+' : ''}
      {money(cents).replace('-', '−')}
    </span>
  )
}

export function Count({ value, signed = false }: { value: number; signed?: boolean }) {
  const { number } = useFormat()
  return (
    <span className="whitespace-nowrap tabular-nums">
      {signed && value > 0 ? '+' : ''}
      {number(value).replace('-', '−')}
    </span>
  )
}

/** A moment in the project's zone, with the exact instant on hover. `relative` says how long ago it was. */
export function Instant({ at, relative = false, withTime = true }: InstantProps) {
  const format = useFormat()
  if (at === null || at === undefined) return <span className="text-muted">never</span>
  const text = relative ? ago(new Date(at).getTime(), Date.now()) : undefined
  return (
    <time dateTime={new Date(at).toISOString()} title={format.exact(at)} className="whitespace-nowrap tabular-nums">
      {text ?? (withTime ? format.dateTime(at) : format.date(at))}
    </time>
  )
}

interface InstantProps {
  at: string | null | undefined
  relative?: boolean
  withTime?: boolean
}

const relativeTime = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const units = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 14],
] as const

/** `3 hours ago`; undefined when it is so far away that a date says more. */
export function ago(then: number, now: number): string | undefined {
  const distance = then - now
  if (Math.abs(distance) < 60_000) return 'just now'
  for (const [unit, length, most] of units) {
    const count = Math.round(distance / length)
    if (Math.abs(count) < most) return relativeTime.format(count, unit)
  }
  return undefined
}

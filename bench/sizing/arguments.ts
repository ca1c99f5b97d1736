import { parseArgs } from 'node:util'
import { type CallKind, callKinds } from './figures.ts'
import type { Plan } from './model.ts'

export const help = `What a load needs: npm run sizing -- --redemptions 2000/s --validations 8000/s

Calls at the busiest time, as NUMBER/s, /min, /h or /day:
  --redemptions --validations --qualifications --publications
  --reads          single objects, such as GET /v1/vouchers/{code}
  --lists          pages of lists

  --average SHARE  the average load as a share of the busiest time     0.3
  --cores N        cores of a machine                                   16
  --busy SHARE     how busy a machine may be at the busiest time       0.7
  --speed FACTOR   a core of yours compared with one of ours             1
  --replicas N     streaming replicas that answer reads                  0
  --projects N     projects that share the load                          1
  --connections N  DATABASE_CONNECTIONS of a worker                      8
  --audit-days N   AUDIT_RETENTION_DAYS; 0 without the log             180
  --json           print everything as JSON

docs/scaling.md explains the figures, and how to measure them on your own machine.
`

/** Null: help was asked for. Throws an error that names what it does not understand. */
export function parsePlan(args: string[]): { plan: Plan; is_json: boolean } | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: {
      ...(Object.fromEntries(callKinds.map((kind) => [kind, text])) as Record<CallKind, typeof text>),
      average: text,
      cores: text,
      busy: text,
      speed: text,
      replicas: text,
      projects: text,
      connections: text,
      'audit-days': text,
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return null
  const peak = Object.fromEntries(callKinds.map((kind) => [kind, rate(kind, values[kind] ?? '0')])) as Record<
    CallKind,
    number
  >
  if (callKinds.every((kind) => peak[kind] === 0))
    throw new Error('Name at least one kind of call, such as --redemptions 200/s.')
  const share = (name: 'average' | 'busy', standard: number) => number(name, values[name], standard, 0.01, 1)
  const whole = (
    name: 'cores' | 'replicas' | 'projects' | 'connections' | 'audit-days',
    standard: number,
    min: number,
  ) => Math.trunc(number(name, values[name], standard, min, 1_000_000))
  return {
    plan: {
      peak,
      average_share: share('average', 0.3),
      cores: whole('cores', 16, 1),
      utilisation: share('busy', 0.7),
      speed: number('speed', values.speed, 1, 0.01, 100),
      replicas: whole('replicas', 0, 0),
      projects: whole('projects', 1, 1),
      connections: whole('connections', 8, 1),
      audit_days: whole('audit-days', 180, 0),
    },
    is_json: values.json === true,
  }
}

const units: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, day: 86_400 }

/** `2000/s` → 2000, `60/min` → 1. */
function rate(name: string, text: string): number {
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/(s|min|h|day))?$/.exec(text) ?? []
  if (amount === '') throw new Error(`--${name} must be a number per time, such as 2000/s or 50000/day, not "${text}".`)
  return Number(amount) / (units[unit] as number)
}

function number(name: string, text: string | undefined, standard: number, min: number, max: number): number {
  if (text === undefined) return standard
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!(value >= min && value <= max))
    throw new Error(`--${name} must be a number from ${min} to ${max}, not "${text}".`)
  return value
}

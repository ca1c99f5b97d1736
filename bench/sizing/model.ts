import { type CallKind, callKinds, type Figures } from './figures.ts'

/** The load and the machines that somebody plans with. */
export interface Plan {
  /** Calls per second at the busiest time. */
  peak: Record<CallKind, number>
  /** The average load as a share of the peak: what is written in a year depends on it. */
  average_share: number
  /** Cores of one machine, for services and databases alike. */
  cores: number
  /** How busy a machine may be at the peak. */
  utilisation: number
  /** How fast a core is, compared with one of the machine on which the figures were measured. */
  speed: number
  replicas: number
  projects: number
  /** `DATABASE_CONNECTIONS` of each worker. */
  connections: number
  audit_days: number
}

export interface Sizing {
  service_cores: number
  /** Worker processes: a worker is one JavaScript thread. */
  workers: number
  service_machines: number
  primary_cores: number
  /** The share of the primary's cores that the peak takes. */
  primary_load: number
  /** Cores of all replicas together. */
  replica_cores: number
  /** Null without replicas. */
  replica_load: number | null
  connections: number
  wal_mb_per_second: number
  wal_gb_per_day: number
  /** By how much the disk grows in a year, and the audit log at its full age. */
  records_gb_per_year: number
  events_gb_per_year: number
  audit_gb: number
  /** The same mix of calls, in redemptions per second (or calls, if there are none), at which the primary is as busy as it may be. */
  most: { kind: CallKind; per_second: number }
  advice: string[]
}

/** Connections of a worker besides its pool: one that listens, one while it starts, one that asks about lost connections. */
const besidesPool = 3
/** A PostgreSQL with more server processes than this is slower than one behind a pooler. */
const connectionsMax = 300
/** More than an ordinary disk writes in a sequence, beside everything else that it does. */
const walMbMax = 400
const secondsPerDay = 86_400
const daysPerYear = 365
const mega = 1e6
const giga = 1e9

/**
 * What a load needs, in proportion to what one call costs: no queueing and no caches are modelled, which is why machines are planned with
 * a part of their cores idle.
 */
export function sizeFor(plan: Plan, figures: Figures): Sizing {
  const perSecond = (cost: (kind: CallKind) => number): number =>
    callKinds.reduce((sum, kind) => sum + plan.peak[kind] * cost(kind), 0)
  /** Cores that calls keep busy: each takes so many milliseconds of a core like ours. */
  const coresFor = (milliseconds: (kind: CallKind) => number): number => perSecond(milliseconds) / 1_000 / plan.speed
  const { calls } = figures
  const stays: Partial<Record<CallKind, number>> = plan.replicas > 0 ? figures.primary_share : {}
  const movable = (kind: CallKind): number => 1 - (stays[kind] ?? 1)

  const serviceCores = coresFor((kind) => calls[kind].service_ms)
  const workers = Math.max(1, Math.ceil(serviceCores / plan.utilisation))
  const primaryCores = coresFor((kind) => calls[kind].postgres_ms * (1 - movable(kind)))
  const replicaCores = coresFor((kind) => calls[kind].postgres_ms * movable(kind))
  const primaryLoad = primaryCores / plan.cores
  const averageBytes = (bytes: (kind: CallKind) => number) => perSecond(bytes) * plan.average_share
  const wal = perSecond((kind) => calls[kind].wal_bytes)
  const kind = callKinds.find((each) => plan.peak[each] > 0) ?? 'redemptions'

  const sizing: Omit<Sizing, 'advice'> = {
    service_cores: serviceCores,
    workers,
    service_machines: Math.max(1, Math.ceil(workers / plan.cores)),
    primary_cores: primaryCores,
    primary_load: primaryLoad,
    replica_cores: replicaCores,
    replica_load: plan.replicas === 0 ? null : replicaCores / (plan.cores * plan.replicas),
    connections: workers * (plan.connections + besidesPool),
    wal_mb_per_second: wal / mega,
    wal_gb_per_day: (wal * plan.average_share * secondsPerDay) / giga,
    records_gb_per_year: (averageBytes((each) => calls[each].record_bytes) * secondsPerDay * daysPerYear) / giga,
    events_gb_per_year: (averageBytes((each) => calls[each].event_bytes) * secondsPerDay * daysPerYear) / giga,
    audit_gb: (averageBytes((each) => calls[each].audit_bytes) * secondsPerDay * plan.audit_days) / giga,
    most: { kind, per_second: primaryLoad === 0 ? 0 : (plan.peak[kind] * plan.utilisation) / primaryLoad },
  }
  return { ...sizing, advice: adviceFor(plan, figures, sizing) }
}

/** What to add, in the order in which it is cheapest. */
function adviceFor(plan: Plan, figures: Figures, sizing: Omit<Sizing, 'advice'>): string[] {
  const { service_cores, primary_cores, primary_load, replica_load, workers, service_machines, connections } = sizing
  const { cores, utilisation, replicas, projects } = plan
  const advice: string[] = []
  if (service_cores + primary_cores <= cores * utilisation)
    advice.push(`One machine carries it all: ${plural(workers, 'worker')} (WORKERS) and PostgreSQL.`)
  else
    advice.push(
      `PostgreSQL on a machine of its own, and ${plural(service_machines, 'machine')} with ${plural(workers, 'worker')} in all (WORKERS) behind a load balancer.`,
    )
  if (connections > connectionsMax)
    advice.push(
      `${connections} connections: put PgBouncer in transaction mode between them (DATABASE_SESSION_URL), or lower DATABASE_CONNECTIONS.`,
    )
  if (primary_load > utilisation) advice.push(...whenPrimaryIsFull(plan, figures, sizing))
  if (replica_load !== null && replica_load > utilisation)
    advice.push(
      `${plural(replicas, 'replica')} would be busier than planned: ${Math.ceil((replica_load * replicas) / utilisation)} are enough.`,
    )
  if (sizing.wal_mb_per_second > walMbMax)
    advice.push(
      `${Math.round(sizing.wal_mb_per_second)} MB of WAL a second: measure whether its disk, and the network to each standby, can take it.`,
    )
  if (primary_load > utilisation)
    advice.push(
      projects > 1
        ? 'The projects can be divided: among several installations, or over the workers of Citus (docs/operate/citus.md).'
        : 'One project needs one primary: it cannot be divided over several.',
    )
  advice.push(
    `One code is redeemed at most ${Math.round(figures.one_code_per_second * plan.speed)} times a second, whatever the machines: its redemptions run one after another.`,
  )
  return advice
}

function whenPrimaryIsFull(plan: Plan, figures: Figures, { primary_load }: Omit<Sizing, 'advice'>): string[] {
  const { cores, utilisation, replicas } = plan
  const advice: string[] = []
  const withReplicas = replicas > 0 ? null : sizeWithReplica(plan, figures)
  if (withReplicas !== null && withReplicas.primary_load < primary_load * 0.9)
    advice.push(
      `Replicas (DATABASE_READ_URL) take what only reads: the primary would be at ${percent(withReplicas.primary_load)} instead of ${percent(primary_load)}.`,
    )
  const wanted = withReplicas?.primary_load ?? primary_load
  if (wanted > utilisation)
    advice.push(
      `A primary with ${Math.ceil((wanted * cores) / utilisation)} cores like these; ${cores} are not enough.`,
    )
  return advice
}

/** The same plan with one replica, without its advice. */
const sizeWithReplica = (plan: Plan, figures: Figures): Sizing => sizeFor({ ...plan, replicas: 1 }, figures)

export const percent = (share: number): string => `${Math.round(share * 100)} %`
const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

import { readFileSync } from 'node:fs'
import pg from 'pg'
import { cpuMilliseconds, familyCpuMilliseconds } from './processes.ts'

/** What a service and its database have used up to now. NaN where it cannot be read: on other systems than Linux, or remotely. */
export interface Usage {
  service_cpu_ms: number
  postgres_cpu_ms: number
  wal_bytes: number
}

export interface Meter {
  read(): Promise<Usage>
  close(): Promise<void>
}

/** Reads what a service process and the PostgreSQL at this URL use; '' for the embedded database, whose work is the service's. */
export async function openMeter(pid: number, databaseUrl: string): Promise<Meter> {
  if (databaseUrl === '')
    return {
      read: async () => ({ service_cpu_ms: cpuMilliseconds(pid), postgres_cpu_ms: Number.NaN, wal_bytes: Number.NaN }),
      close: async () => {},
    }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0].pid)
  return {
    async read() {
      const { rows } = await client.query("select (pg_current_wal_lsn() - '0/0')::float8 as bytes")
      return {
        service_cpu_ms: cpuMilliseconds(pid),
        postgres_cpu_ms: postmaster === null ? Number.NaN : familyCpuMilliseconds(postmaster),
        wal_bytes: rows[0].bytes,
      }
    },
    close: () => client.end(),
  }
}

/** Reads the CPU time in milliseconds of all processes of the PostgreSQL at this URL; NaN where it cannot be read. */
export async function postgresCpuMeter(url: string): Promise<() => number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0].pid)
  await client.end()
  return () => (postmaster === null ? Number.NaN : familyCpuMilliseconds(postmaster))
}

/** The process that started a backend, if it runs on this machine. */
function parentOf(backend: number): number | null {
  try {
    const stat = readFileSync(`/proc/${backend}/stat`, 'utf8')
    return stat.includes('(postgres)') ? Number(stat.split(') ')[1]?.split(' ')[1]) : null
  } catch {
    return null
  }
}

import { availableParallelism, cpus, totalmem } from 'node:os'
import { type BenchShop, query } from '../shop.ts'

/** The machine and the versions of the measurement. */
export async function machineOf(shop: BenchShop) {
  const [{ server_version }] = await query(shop, 'show server_version')
  return {
    processor: `${cpus()[0]?.model ?? 'unknown'} (${process.arch})`,
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: process.platform,
    node: process.version,
    postgres: server_version,
  }
}

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Short, so that a process that has used up its share waits for milliseconds. */
const periodUs = 10_000

/**
 * Lets each process use at most a share of a core, by control groups of Linux (either version), which needs root. Returns a function that
 * removes the limits.
 */
export function limitCpu(pids: readonly number[], share: number): () => void {
  const folders = pids.map((pid) => limited(pid, Math.round(share * periodUs)))
  return () => {
    for (const { folder, parent } of folders) {
      for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n'))
        if (pid !== '') writeFileSync(join(parent, 'cgroup.procs'), pid)
      rmdirSync(folder)
    }
  }
}

function limited(pid: number, quotaUs: number): { folder: string; parent: string } {
  const isSecond = existsSync('/sys/fs/cgroup/cgroup.controllers')
  const parent = isSecond ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu'
  const folder = join(parent, `guerdon-bench-${pid}`)
  if (isSecond) writeFileSync(join(parent, 'cgroup.subtree_control'), '+cpu')
  mkdirSync(folder)
  if (isSecond) writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`)
  else {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs))
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs))
  }
  writeFileSync(join(folder, 'cgroup.procs'), String(pid))
  return { folder, parent }
}

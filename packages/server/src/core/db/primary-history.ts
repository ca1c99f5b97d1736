/** How much of its log the primary had written at a moment. */
interface Sample {
  /** On the clock of this process, taken before the primary was asked: what was committed by then is in the log up to `lsn`. */
  at: number
  lsn: number
  /** Each server that becomes the primary begins a new one. */
  timeline: number
}

/** How far back a replica's lag is measured. */
const remembered = 240

/** How far the log of the primary had got in the last minute or so, by which the lag of a replica is told without comparing clocks. */
export class PrimaryHistory {
  #samples: Sample[] = []

  add(sample: Sample): void {
    const latest = this.#samples.at(-1)
    // Another server has become the primary. What the log of the earlier one had reached says nothing about it.
    if (latest !== undefined && (sample.timeline !== latest.timeline || sample.lsn < latest.lsn)) this.#samples = []
    this.#samples.push(sample)
    if (this.#samples.length > remembered) this.#samples.shift()
  }

  /** The latest moment whose commits are all in the log up to `lsn`; null: longer ago than is remembered. */
  containedAt(lsn: number): number | null {
    return this.#samples.findLast((sample) => sample.lsn <= lsn)?.at ?? null
  }
}

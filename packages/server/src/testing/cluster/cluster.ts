/** A primary with standbys, of Debian's programs, that can be made to fail over again and again. */
export interface Cluster {
  /** For messages. */
  description: string
  /** A URL that names all hosts, as a node is given it. */
  url: string
  /** What can happen to the primary, by name. */
  losses: Readonly<Record<string, Loss>>
  /** Stops everything and removes its files. */
  stop(): Promise<void>
}

export interface Loss {
  /** Takes the primary away; returns when another server is the primary. */
  lose(): Promise<void>
  /** Brings back what was lost; returns when there is a synchronous standby again. */
  heal(): Promise<void>
}

/** Says which packages to install. */
export class ProgramsMissing extends Error {}

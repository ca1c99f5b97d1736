/** The defaults with other members laid over them. A member that is undefined leaves the default, as one that is missing does. */
export const over = <Defaults extends object>(defaults: Defaults | undefined, members: object = {}): Defaults => ({
  ...(defaults as Defaults),
  ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
})

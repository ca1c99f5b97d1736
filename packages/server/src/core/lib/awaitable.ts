/** What may be known at once, or only later. */
export type Awaitable<T> = T | Promise<T>

/** The part of `pg` that turns a value into a parameter; `@types/pg` does not describe it. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): string | Buffer | null }
  export default utils
}

interface Person {
  id: string
  name?: string | null
  email?: string | null
  source_id?: string | null
}

/** What a customer is called: the best that is known. */
export function nameOf({ id, name, email, source_id }: Person): string {
  return name || email || source_id || id
}

/** What tells apart two customers of one name. */
export function noteOf({ id, name, email, source_id }: Person): string {
  return (name ? email : undefined) || (name || email ? source_id : undefined) || id
}

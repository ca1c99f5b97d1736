/**
 * How functions are planned that find rows by their keys: once for all calls of a connection, since planning them takes
 * longer than running them; and row by row through indexes, also while tables are small: the plan stays when they have grown.
 */
export const by_key = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

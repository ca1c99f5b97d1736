/**
 * The name of a column in the file: `source_id` → `Source ID`, `metadata.color` unchanged
 * (docs/reference/exports.md#export-file).
 */
export function headerOf(field: string): string {
  if (field.startsWith('metadata.')) return field
  return field
    .split('_')
    .map((word) => capitals.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

const capitals = new Map(['id', 'qr', 'sku'].map((word) => [word, word.toUpperCase()]))

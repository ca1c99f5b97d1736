import { Plus, X } from 'lucide-react'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'

export interface KeyValueRow {
  key: string
  text: string
}

/** Rows of a key and a value that can be typed over, added and taken away. */
export function KeyValueEditor({
  rows,
  onChange,
}: {
  rows: readonly KeyValueRow[]
  onChange: (rows: KeyValueRow[]) => void
}) {
  const set = (at: number, change: Partial<KeyValueRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)))
  return (
    <div className="space-y-2">
      {rows.map(({ key, text }, at) => (
        <div key={at} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-2">
          <TextField
            label={`Key ${at + 1}`}
            hidesLabel
            placeholder="key"
            value={key}
            onChange={(event) => set(at, { key: event.target.value })}
          />
          <TextField
            label={`Value ${at + 1}`}
            hidesLabel
            placeholder="value"
            value={text}
            onChange={(event) => set(at, { text: event.target.value })}
          />
          <IconButton
            label={`Remove ${key || `row ${at + 1}`}`}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus aria-hidden="true" className="size-3.5" />}
        onClick={() => onChange([...rows, { key: '', text: '' }])}
      >
        Add a value
      </Button>
    </div>
  )
}

/** What an editor shows of values: text stays text; a text that would be read as something else gets quotes. */
export function rowsOf(values: Record<string, unknown> | undefined): KeyValueRow[] {
  return Object.entries(values ?? {}).map(([key, value]) => ({
    key,
    text: typeof value === 'string' && read(value) === value ? value : JSON.stringify(value),
  }))
}

/** The values that rows stand for; rows without a key are left out. */
export function valuesOf(rows: readonly KeyValueRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.filter(({ key }) => key.trim() !== '').map(({ key, text }) => [key.trim(), read(text)]),
  )
}

/** Numbers, `true`, lists and objects as JSON writes them; everything else is text. */
function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

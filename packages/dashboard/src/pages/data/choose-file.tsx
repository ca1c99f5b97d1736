import { FileText, Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { Notice } from '../../ui/state.tsx'
import { type Csv, readCsv, withCommas } from './csv.ts'

export interface ChosenFile {
  /** What is sent. */
  content: File
  name: string
  size: number
  csv: Csv
}

interface ChooseFileProps {
  file: ChosenFile | null
  onChange: (file: ChosenFile | null) => void
  example: ReactNode
}

const largest = 10_000_000
const previewRows = 5
/** Enough for the header and a few rows, however long the file is. */
const previewBytes = 256_000

/** A file of the computer, picked or dropped; read only as far as the preview needs. */
export function ChooseFile({ file, onChange, example }: ChooseFileProps) {
  const id = useId()
  const [fault, setFault] = useState<string | null>(null)
  const [isOver, setIsOver] = useState(false)
  const take = async (picked: File | undefined) => {
    if (picked === undefined) return
    const result = await readFile(picked)
    setFault(typeof result === 'string' ? result : null)
    onChange(typeof result === 'string' ? null : result)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <div>
      <div className="mb-1 flex items-end justify-between gap-4">
        <span className="font-medium text-xs">File</span>
        {example}
      </div>
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={classes(
          'flex min-h-16 cursor-pointer items-center gap-3 rounded-md border border-line-strong border-dashed px-4 py-3 focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2 hover:bg-sunken/60',
          isOver && 'bg-accent-soft',
        )}
      >
        {file ? (
          <FileText aria-hidden="true" className="size-5 shrink-0 text-muted" strokeWidth={1.75} />
        ) : (
          <Upload aria-hidden="true" className="size-5 shrink-0 text-muted" strokeWidth={1.75} />
        )}
        <span className="min-w-0">
          <span className="block truncate font-medium">{file ? file.name : 'Choose a CSV file, or drop it here'}</span>
          <span className="block text-muted text-xs">
            {file
              ? `${sizeText(file.size)}. Choose another one`
              : 'At most 10 MB, with the names of the columns in the first row'}
          </span>
        </span>
        <input
          id={id}
          type="file"
          accept=".csv,text/csv,text/plain"
          className="sr-only"
          onChange={(event) => {
            void take(event.target.files?.[0])
            // The same file, mended and chosen again, must be read again.
            event.target.value = ''
          }}
        />
      </label>
      {fault && (
        <div className="mt-2">
          <Notice tone="bad" title={fault} />
        </div>
      )}
    </div>
  )
}

/** The file ready to be sent, or why it cannot be. */
async function readFile(picked: File): Promise<ChosenFile | string> {
  if (picked.size === 0) return 'The file is empty.'
  if (picked.size > largest) return 'The file is larger than 10 MB. Split it into several.'
  const isCut = picked.size > previewBytes
  let text: string
  try {
    const bytes = await picked.slice(0, previewBytes).arrayBuffer()
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return 'The file is not in UTF-8. In a spreadsheet, save it as “CSV UTF-8”.'
  }
  if (text.includes('\0')) return 'This is not a CSV file. In a spreadsheet, save it as “CSV UTF-8”.'
  const csv = readCsv(text, previewRows)
  const same = { name: picked.name, size: picked.size, csv }
  if (csv.separator === ',') return { ...same, content: picked }
  const whole = withCommas(readCsv(await picked.text()))
  return { ...same, content: new File([whole], picked.name, { type: 'text/csv' }) }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

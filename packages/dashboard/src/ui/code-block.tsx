import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

/** Puts text on the clipboard, and shows for a moment that it is there. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1500)
  }
  return (
    <IconButton label={isCopied ? 'Copied' : label} onClick={() => void copy()} className="size-7">
      {isCopied ? (
        <Check aria-hidden="true" className="size-3.5 text-good" />
      ) : (
        <Copy aria-hidden="true" className="size-3.5" />
      )}
    </IconButton>
  )
}

interface CodeBlockProps {
  text: string
  className?: string
  /** A long address is broken instead of scrolled. */
  wraps?: boolean
}

/** Text in a fixed width, with a button to copy it. */
export function CodeBlock({ text, className, wraps = false }: CodeBlockProps) {
  return (
    <div className={classes('relative rounded-md border border-line bg-sunken', className)}>
      <pre
        tabIndex={0}
        className={classes(
          'max-h-96 overflow-auto py-2.5 pr-10 pl-3 font-mono text-xs leading-5',
          wraps && 'whitespace-pre-wrap break-all',
        )}
      >
        {text}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} />
      </div>
    </div>
  )
}

interface CopyTextProps {
  text: string
  isMono?: boolean
  /** What is seen only once is shown whole; otherwise an ellipsis keeps it on its line. */
  wraps?: boolean
}

/** A code, an id, a key: in a fixed width, with a button to copy it. The button makes its line no taller. */
export function CopyText({ text, isMono = true, wraps = false }: CopyTextProps) {
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-0.5 align-bottom">
      <span
        title={wraps ? undefined : text}
        className={classes('min-w-0', wraps ? 'break-all' : 'truncate', isMono && 'font-mono')}
      >
        {text}
      </span>
      <span className="-my-1.5 -mr-2 flex">
        <CopyButton text={text} label={`Copy ${text}`} />
      </span>
    </span>
  )
}

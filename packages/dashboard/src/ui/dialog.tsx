import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

interface DialogProps {
  title: ReactNode
  about?: ReactNode
  isOpen: boolean
  onClose: () => void
  /** `side`: a sheet at the right edge, for something looked at beside the page. */
  shape?: 'middle' | 'side'
  size?: 'normal' | 'wide'
  children: ReactNode
}

/** A dialog: focus stays inside, Escape closes it, and focus goes back to where it was. */
export function Dialog({ title, about, isOpen, onClose, shape = 'middle', size = 'normal', children }: DialogProps) {
  const body = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.38)] transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
        <Base.Popup
          // The first field, not the cross in the corner that comes before it.
          initialFocus={() => body.current?.querySelector<HTMLElement>(firstControl) ?? true}
          className={classes(
            'fixed z-50 flex flex-col border-line bg-raised text-ink shadow-popup outline-none transition data-[ending-style]:opacity-0 data-[starting-style]:opacity-0',
            shape === 'middle'
              ? 'inset-x-3 top-[8vh] mx-auto max-h-[84vh] rounded-xl border'
              : 'inset-y-0 right-0 w-full border-l',
            shape === 'middle' && (size === 'wide' ? 'max-w-3xl' : 'max-w-lg'),
            shape === 'side' && (size === 'wide' ? 'sm:max-w-3xl' : 'sm:max-w-lg'),
          )}
        >
          <header
            className={classes(
              'flex justify-between gap-3 border-line border-b px-5',
              about ? 'items-start py-3.5' : 'items-center py-2.5',
            )}
          >
            <div className="min-w-0">
              <Base.Title className="font-semibold text-base">{title}</Base.Title>
              {about && <Base.Description className="mt-0.5 text-muted">{about}</Base.Description>}
            </div>
            <Base.Close render={<IconButton label="Close" className="-mr-1.5" />}>
              <X aria-hidden="true" className="size-4" />
            </Base.Close>
          </header>
          <div ref={body} className="min-h-0 overflow-y-auto px-5 py-4">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

const firstControl = 'input:not([type=radio]):not([hidden]), input[type=radio]:checked, select, textarea, button'

/** The buttons at the end of a form in a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
}

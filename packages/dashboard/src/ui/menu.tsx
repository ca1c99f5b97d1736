import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'

/** A button that opens a list of actions. */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className="z-50 outline-none">
          <Base.Popup className={popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** The ground of everything that opens over a page. */
export const popup =
  'max-h-[min(24rem,var(--available-height))] min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 text-ink shadow-popup outline-none'

const item =
  'flex w-full cursor-default select-none items-center gap-2 rounded-md px-2.5 py-1.5 text-left outline-none data-[highlighted]:bg-sunken'

interface MenuItemProps {
  onSelect?: () => void
  /** A link in place of an action. */
  link?: ReactElement
  isDanger?: boolean
  children: ReactNode
}

export function MenuItem({ onSelect, link, isDanger, children }: MenuItemProps) {
  return (
    <Base.Item {...(link && { render: link })} onClick={onSelect} className={classes(item, isDanger && 'text-bad')}>
      {children}
    </Base.Item>
  )
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />
}

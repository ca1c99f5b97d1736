import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

/** Says, at the edge of the window, that something was done. What failed is said where it was tried, not here. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={5000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Toasts() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="flex items-start justify-between gap-2 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-4 shadow-popup transition data-[ending-style]:opacity-0 data-[starting-style]:opacity-0"
    >
      <div className="min-w-0 py-1">
        <Toast.Title className="font-medium" />
        <Toast.Description className="text-muted" />
      </div>
      <Toast.Close render={<IconButton label="Close" />}>
        <X aria-hidden="true" className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ))
}

export function useToast(): (title: string, description?: string) => void {
  const { add } = Toast.useToastManager()
  return (title, description) => {
    add({ title, ...(description && { description }) })
  }
}

import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { Mark } from '../../ui/mark.tsx'

/** The one card of the pages outside of a project. */
export function Card({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Guerdon`
  }, [title])
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 pt-[14vh] pb-10">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex items-center gap-2.5">
          <Mark />
          <span className="font-semibold text-base tracking-tight">Guerdon</span>
        </div>
        <h1 className="font-semibold text-xl tracking-tight">{title}</h1>
        {about && <p className="mt-1 text-muted">{about}</p>}
        <div className="mt-6">{children}</div>
      </div>
    </main>
  )
}

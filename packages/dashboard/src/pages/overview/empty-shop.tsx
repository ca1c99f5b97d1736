import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { curlOf } from '../../api/code.ts'
import { useProject } from '../../api/session.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Panel } from '../../ui/page.tsx'

/** What this place will show, and the three steps that lead there. */
export function EmptyShop() {
  const { id: project } = useProject()
  const code = curlOf(window.location.origin, 'POST /v1/vouchers/{code}', {
    path: { code: 'WELCOME10' },
    body: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } },
  })
  return (
    <Panel>
      <p className="max-w-2xl text-muted">
        Here you will see how often codes and promotions are redeemed, what they take off, which campaigns move orders,
        why codes are refused, how many points people earn and spend, what you owe in points and gift cards, and what
        needs attention.
      </p>
      <ol className="mt-6 space-y-7">
        <Step number={1} title="Make a code">
          <p className="mb-2.5 text-muted">
            Ten per cent off, as often as somebody likes. Set the two variables to a key of the project.
          </p>
          <CodeBlock text={code} className="max-w-2xl" />
        </Step>
        <Step number={2} title="Try it on a basket">
          <p className="mb-2.5 text-muted">
            The simulator shows what a code takes off, line by line, or why it is refused. It redeems nothing.
          </p>
          <Link to="/$project/simulator" params={{ project }} className={buttonClasses('primary')}>
            Open the simulator
          </Link>
        </Step>
        <Step number={3} title="Connect your shop">
          <p className="mb-2.5 text-muted">The shop's server redeems codes with a key of its own.</p>
          <Link to="/$project/settings/keys" params={{ project }} className={buttonClasses()}>
            Keys of this project
          </Link>
        </Step>
      </ol>
    </Panel>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden="true"
        className="flex size-6 shrink-0 items-center justify-center rounded-full border border-line-strong text-muted text-xs tabular-nums"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="mb-0.5 font-semibold">{title}</h2>
        {children}
      </div>
    </li>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { endSession } from '../../api/begin-session.ts'
import type { ApiFailure, Reply } from '../../api/client.ts'
import { rowsInReply, useChange, useRead } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Instant } from '../../ui/format.tsx'
import { List } from '../../ui/list.tsx'
import { Panel } from '../../ui/page.tsx'
import { FailureNotice, Tag } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { useToast } from '../../ui/toast.tsx'
import { describeAgent } from './agent.ts'

type Session = Reply<'GET /auth/sessions'>['sessions'][number]

/** Where one is signed in. */
export function SessionsPanel() {
  const sessions = useRead('GET /auth/sessions', {})
  const end = useChange('DELETE /auth/sessions/{sessionId}')
  const toast = useToast()
  const [isLeaving, setIsLeaving] = useState(false)
  const columns: Column<Session>[] = [
    {
      id: 'browser',
      header: 'Browser',
      isWide: true,
      cell: ({ user_agent: agent, address, is_current: isCurrent }) => (
        <div className="py-0.5">
          <div className="flex items-center gap-2">
            <span className="truncate" title={agent ?? undefined}>
              {describeAgent(agent)}
            </span>
            {isCurrent && <Tag tone="good">this one</Tag>}
          </div>
          {address && <div className="truncate text-muted text-xs">{address}</div>}
        </div>
      ),
    },
    { id: 'used', header: 'Last used', cell: ({ last_used_at: at }) => <Instant at={at} relative /> },
    { id: 'since', header: 'Signed in', isExtra: true, cell: ({ created_at: at }) => <Instant at={at} relative /> },
    {
      id: 'end',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (session) =>
        !session.is_current && (
          <Button
            size="small"
            aria-label={`End the session of ${describeAgent(session.user_agent)}`}
            isBusy={end.isPending && end.variables.path.sessionId === session.id}
            onClick={() =>
              end.mutate(
                { path: { sessionId: session.id } },
                { onSuccess: () => toast('Session ended', 'That browser has to sign in again.') },
              )
            }
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <Panel
      title="Sessions"
      about="A session ends after 12 hours without use, and after 14 days at the latest."
      flush
      actions={
        <Button size="small" onClick={() => setIsLeaving(true)}>
          Sign out everywhere
        </Button>
      }
    >
      {end.error && (
        <div className="p-4 pb-0">
          <FailureNotice failure={end.error} />
        </div>
      )}
      <List
        label="Your sessions"
        columns={columns}
        list={rowsInReply(sessions, ({ sessions: rows }) => rows)}
        empty={<p className="p-4 text-muted">No sessions.</p>}
      />
      <SignOutEverywhere isOpen={isLeaving} onClose={() => setIsLeaving(false)} />
    </Panel>
  )
}

function SignOutEverywhere({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const signOut = useMutation<void, ApiFailure>({
    mutationFn: endSession,
    onSuccess: () => navigate({ to: '/sign-in' }),
  })
  return (
    <Confirm
      title="Sign out everywhere?"
      action="Sign out everywhere"
      isOpen={isOpen}
      onClose={onClose}
      isBusy={signOut.isPending}
      failure={signOut.error}
      onConfirm={() => signOut.mutate()}
    >
      <p>All your sessions end at once, this one included. Keys of programs are not touched.</p>
    </Confirm>
  )
}

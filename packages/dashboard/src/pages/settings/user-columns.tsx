import { Ellipsis } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Status, Tag } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { roleNames } from '../../words/roles.ts'

export type UserTask = 'role' | 'remove' | 'link'

type User = Schemas['User']

export function userColumns(projectId: string, choose: (user: User, task: UserTask) => void): Column<User>[] {
  return [
    { id: 'name', header: 'Name', isWide: true, cell: (user) => <Name user={user} /> },
    {
      id: 'role',
      header: 'Role',
      cell: ({ is_owner: isOwner, projects }) => (
        <span className="whitespace-nowrap">
          {isOwner ? 'Owner' : (roleNames[projects[projectId] ?? ''] ?? projects[projectId])}
        </span>
      ),
    },
    {
      id: 'state',
      header: 'State',
      isExtra: true,
      cell: ({ state }) =>
        state === 'ACTIVE' ? (
          <Status tone="good">Active</Status>
        ) : (
          <Status tone="info">Invited, no password yet</Status>
        ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (user) => <UserMenu user={user} choose={choose} />,
    },
  ]
}

function Name({ user }: { user: User }) {
  const me = useSession().user
  const name = nameOf(user)
  return (
    <div className="py-0.5">
      <div className="flex items-center gap-2">
        <span className="truncate font-medium">{name}</span>
        {user.id === me.id && <Tag>you</Tag>}
        {user.state === 'INVITED' && (
          <span className="md:hidden">
            <Tag tone="info">invited</Tag>
          </span>
        )}
      </div>
      {name !== user.email && <div className="truncate text-muted text-xs">{user.email}</div>}
    </div>
  )
}

/** An owner keeps their role in every project: there is nothing to do here. */
function UserMenu({ user, choose }: { user: User; choose: (user: User, task: UserTask) => void }) {
  if (user.is_owner) return null
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${nameOf(user)}`}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => choose(user, 'role')}>Change the role</MenuItem>
      {user.state === 'INVITED' && <MenuItem onSelect={() => choose(user, 'link')}>New link</MenuItem>}
      <MenuLine />
      <MenuItem isDanger onSelect={() => choose(user, 'remove')}>
        Remove from the project
      </MenuItem>
    </Menu>
  )
}

export const nameOf = ({
  first_name: first,
  last_name: last,
  email,
}: Pick<User, 'first_name' | 'last_name' | 'email'>) => [first, last].filter(Boolean).join(' ') || email

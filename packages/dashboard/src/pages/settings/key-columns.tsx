import { Ellipsis } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/code-block.tsx'
import { Instant } from '../../ui/format.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Status, Tag } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { roleNames } from '../../words/roles.ts'
import { accessNames, accessOf, type Key, kindNames } from './key-words.ts'

export type KeyTask = 'edit' | 'block' | 'regenerate' | 'delete'

export function keyColumns(choose: (key: Key, task: KeyTask) => void): Column<Key>[] {
  return [
    { id: 'name', header: 'Name', isWide: true, cell: (key) => <Name apiKey={key} /> },
    {
      id: 'kind',
      header: 'For',
      isExtra: true,
      cell: ({ kind }) => <span className="whitespace-nowrap">{kindNames[kind]}</span>,
    },
    {
      id: 'role',
      header: 'May',
      isExtra: true,
      cell: ({ role }) => (
        <span className="whitespace-nowrap" title={`Role: ${roleNames[role] ?? role}`}>
          {accessNames[accessOf(role)]}
        </span>
      ),
    },
    {
      id: 'addresses',
      header: 'Addresses',
      isExtra: true,
      cell: ({ ip_whitelist: addresses }) => <Addresses addresses={addresses} />,
    },
    {
      id: 'status',
      header: 'State',
      cell: ({ status }) =>
        status === 'ACTIVE' ? <Status tone="good">Active</Status> : <Status tone="bad">Blocked</Status>,
    },
    { id: 'made', header: 'Made', isExtra: true, cell: ({ created_at: at }) => <Instant at={at} withTime={false} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (key) => <KeyMenu apiKey={key} choose={choose} />,
    },
  ]
}

function Name({ apiKey: { name, app_id: id, primary } }: { apiKey: Key }) {
  return (
    <div className="py-0.5">
      <div className="flex items-center gap-2">
        <span className="truncate font-medium" title={name}>
          {name}
        </span>
        {primary && <Tag>first start</Tag>}
      </div>
      <div className="-my-1 flex items-center text-muted text-xs">
        <span className="truncate font-mono">{id}</span>
        <CopyButton text={id} label={`Copy the id of ${name}`} />
      </div>
    </div>
  )
}

function Addresses({ addresses }: { addresses: string[] }) {
  const [first] = addresses
  if (first === undefined) return <span className="text-muted">any</span>
  return (
    <span className="whitespace-nowrap font-mono text-xs" title={addresses.join('\n')}>
      {first}
      {addresses.length > 1 && ` +${addresses.length - 1}`}
    </span>
  )
}

function KeyMenu({ apiKey, choose }: { apiKey: Key; choose: (key: Key, task: KeyTask) => void }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${apiKey.name}`}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => choose(apiKey, 'edit')}>Name, access and addresses</MenuItem>
      <MenuItem onSelect={() => choose(apiKey, 'block')}>
        {apiKey.status === 'ACTIVE' ? 'Block' : 'Let in again'}
      </MenuItem>
      <MenuItem onSelect={() => choose(apiKey, 'regenerate')}>New secret</MenuItem>
      <MenuLine />
      <MenuItem isDanger onSelect={() => choose(apiKey, 'delete')}>
        Delete
      </MenuItem>
    </Menu>
  )
}

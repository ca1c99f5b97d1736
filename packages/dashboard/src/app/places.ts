import {
  ArrowDownUp,
  FlaskConical,
  LayoutDashboard,
  type LucideIcon,
  ReceiptText,
  Settings,
  Ticket,
  Users,
} from 'lucide-react'

interface Place {
  to:
    | '/$project'
    | '/$project/simulator'
    | '/$project/codes'
    | '/$project/customers'
    | '/$project/redemptions'
    | '/$project/data'
    | '/$project/settings'
  name: string
  icon: LucideIcon
  /** After `g`. */
  key: string
  isExact?: boolean
}

/** The places of a project, in the order of the navigation. */
export const places: readonly Place[] = [
  { to: '/$project', name: 'Overview', icon: LayoutDashboard, key: 'o', isExact: true },
  { to: '/$project/simulator', name: 'Simulator', icon: FlaskConical, key: 's' },
  { to: '/$project/codes', name: 'Codes', icon: Ticket, key: 'c' },
  { to: '/$project/customers', name: 'Customers', icon: Users, key: 'u' },
  { to: '/$project/redemptions', name: 'Redemptions', icon: ReceiptText, key: 'r' },
  { to: '/$project/data', name: 'Data in and out', icon: ArrowDownUp, key: 'd' },
  { to: '/$project/settings', name: 'Settings', icon: Settings, key: ',' },
]

import { Card } from './card.tsx'

export function PasswordPage() {
  return <Card title="Sign in">{null}</Card>
}

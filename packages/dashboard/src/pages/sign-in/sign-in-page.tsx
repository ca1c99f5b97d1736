import { Card } from './card.tsx'

export function SignInPage() {
  return <Card title="Sign in">{null}</Card>
}

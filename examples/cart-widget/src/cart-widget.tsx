import type { GuerdonClientSide } from '@guerdon/client'
import { useState } from 'react'
import type { Line, Price } from './price.ts'
import { usePrice } from './use-price.ts'

interface CartWidgetProps {
  client: GuerdonClientSide
  /** What is in the cart at first. */
  initial: readonly Line[]
}

/** A cart with a code field, whose total is what the service says. */
export function CartWidget({ client, initial }: CartWidgetProps) {
  const [lines, setLines] = useState(initial)
  const [code, setCode] = useState('')
  const price = usePrice(client, lines, code)
  const setQuantity = (id: string, quantity: number) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, quantity } : line)))
  return (
    <section className="cart" aria-labelledby="cart-title">
      <h2 id="cart-title">Cart</h2>
      <ul>
        {lines.map((line) => (
          <CartLine key={line.id} line={line} onQuantity={(quantity) => setQuantity(line.id, quantity)} />
        ))}
      </ul>
      <CodeField onCode={setCode} />
      <CodeState code={code} price={price} />
      <p className="total">
        <span>Total</span>
        <output aria-label="Total">{price === null ? '…' : money(price.total)}</output>
      </p>
    </section>
  )
}

function CartLine({ line, onQuantity }: { line: Line; onQuantity(quantity: number): void }) {
  const field = `quantity-${line.id}`
  return (
    <li>
      <label htmlFor={field}>{line.name}</label>
      <input
        id={field}
        type="number"
        min={0}
        max={99}
        value={line.quantity}
        onChange={({ target }) => onQuantity(Math.min(99, Math.max(0, Math.trunc(target.valueAsNumber || 0))))}
      />
      <span>{money(line.price * line.quantity)}</span>
    </li>
  )
}

function CodeField({ onCode }: { onCode(code: string): void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // The codes are in capitals, however they are typed.
        onCode(String(new FormData(event.currentTarget).get('code')).trim().toUpperCase())
      }}
    >
      <label htmlFor="cart-code">Code</label>
      <input id="cart-code" name="code" type="text" maxLength={100} autoComplete="off" spellCheck={false} />
      <button type="submit">Apply</button>
    </form>
  )
}

function CodeState({ code, price }: { code: string; price: Price | null }) {
  const isRefused = price !== null && price.refusal !== null
  return (
    <p role="status" className={isRefused ? 'refused' : 'applied'}>
      {code !== '' && price !== null && (price.refusal ?? `${code} takes ${money(price.discount)} off.`)}
    </p>
  )
}

const money = (cents: number): string => `€${(cents / 100).toFixed(2)}`

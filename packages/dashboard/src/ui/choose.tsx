import { Combobox } from '@base-ui/react/combobox'
import { type ReactNode, type Ref, useEffect, useId, useState } from 'react'
import { popup } from './menu.tsx'

interface ChooseProps<Item> {
  label: string
  hidesLabel?: boolean
  placeholder?: string
  value: Item | null
  onChange: (item: Item | null) => void
  /** What fits the text; called a moment after the last key. */
  search: (text: string) => Promise<Item[]>
  keyOf: (item: Item) => string
  textOf: (item: Item) => string
  /** A row of the list; the text unless given. */
  row?: (item: Item) => ReactNode
  /** Empties itself after a choice: for adding one after another. */
  isAdder?: boolean
  /** The text itself as a choice, for what the search does not know; undefined where it is none. */
  free?: (text: string) => Item | undefined
  error?: string | undefined
  inputRef?: Ref<HTMLInputElement>
}

/** A field that searches while one types: a customer among a million. */
export function Choose<Item>(props: ChooseProps<Item>) {
  const {
    label,
    hidesLabel,
    placeholder,
    value,
    onChange,
    search,
    keyOf,
    textOf,
    row,
    isAdder,
    free,
    error,
    inputRef,
  } = props
  const id = useId()
  const valueText = value === null ? '' : textOf(value)
  const [text, setText] = useState(valueText)
  // The value changed by other means than this field: the back button, or "Clear filters".
  useEffect(() => {
    if (!isAdder) setText(valueText)
  }, [valueText, isAdder])
  const found = useFound(text, search, value !== null && text === valueText)
  const { isSearching } = found
  const own = text.trim() === '' ? undefined : free?.(text.trim())
  // What was found for an earlier text must not be taken by a quick Enter; the text itself may.
  const items = own === undefined ? found.items : isSearching ? [own] : withOwn(found.items, own, keyOf)
  const [isOpen, setIsOpen] = useState(false)
  const [isEntered, setIsEntered] = useState(false)
  // A quick Enter waits for the answer, and takes the first that it finds.
  useEffect(() => {
    if (!isEntered || isSearching) return
    setIsEntered(false)
    const [first] = found.items
    if (first === undefined) return
    onChange(first)
    setText(isAdder ? '' : textOf(first))
    setIsOpen(false)
  })
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'mb-1 block font-medium text-xs'}>
        {label}
      </label>
      <Combobox.Root<Item>
        items={items}
        filter={null}
        value={value}
        inputValue={text}
        onInputValueChange={(next) => {
          setText(next)
          setIsEntered(false)
        }}
        open={isOpen}
        onOpenChange={(open) => setIsOpen(open)}
        onValueChange={(next) => {
          onChange(next as Item | null)
          if (isAdder) setText('')
        }}
        itemToStringLabel={(item) => textOf(item)}
        isItemEqualToValue={(item, other) => keyOf(item) === keyOf(other)}
        autoHighlight
      >
        <Combobox.Input
          id={id}
          placeholder={placeholder}
          ref={inputRef}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-note` : undefined}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isSearching || own !== undefined) return
            event.preventDefault()
            event.preventBaseUIHandler()
            setIsEntered(true)
          }}
          className="h-8.5 w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 placeholder:text-muted hover:border-muted aria-invalid:border-bad"
        />
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} align="start" className="z-50 outline-none">
            <Combobox.Popup className={`${popup} w-[max(16rem,var(--anchor-width))]`}>
              <Combobox.Status className="px-2.5 text-muted text-xs empty:hidden">
                {isSearching ? 'Searching …' : ''}
              </Combobox.Status>
              <Combobox.Empty className="px-2.5 text-muted empty:hidden">
                {isSearching ? '' : <span className="block py-1.5">Nothing found</span>}
              </Combobox.Empty>
              <Combobox.List>
                {(item: Item) => (
                  <Combobox.Item
                    key={keyOf(item)}
                    value={item}
                    className="flex cursor-default items-center justify-between gap-3 rounded-md px-2.5 py-1.5 outline-none data-[highlighted]:bg-sunken"
                  >
                    {row ? row(item) : textOf(item)}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {error && (
        <p id={`${id}-note`} className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </div>
  )
}

/** The text itself comes last, unless it was found. */
function withOwn<Item>(found: readonly Item[], own: Item, keyOf: (item: Item) => string): Item[] {
  return found.some((item) => keyOf(item) === keyOf(own)) ? [...found] : [...found, own]
}

const typingPauseMs = 180

/** The last answer to the last text; answers to earlier texts that come late are dropped. */
function useFound<Item>(text: string, search: (text: string) => Promise<Item[]>, isChosen: boolean) {
  const [items, setItems] = useState<Item[]>([])
  const [isSearching, setIsSearching] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a search is of its text; callers pass a new closure on each render
  useEffect(() => {
    if (isChosen) return
    let isStale = false
    setIsSearching(true)
    const timer = setTimeout(async () => {
      try {
        const found = await search(text.trim())
        if (!isStale) setItems(found)
      } catch {
        if (!isStale) setItems([])
      }
      if (!isStale) setIsSearching(false)
    }, typingPauseMs)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [text, isChosen])
  return { items, isSearching }
}

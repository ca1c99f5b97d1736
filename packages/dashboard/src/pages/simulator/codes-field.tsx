import type { Ref } from 'react'
import { Choose } from '../../ui/choose.tsx'
import { ChosenRow } from './chosen-row.tsx'
import { type FoundChoice, useChoiceFinder } from './finders.ts'
import { type Chosen, type Situation, sameChosen } from './situation.ts'
import type { Change } from './use-situation.ts'

/** The codes and promotions that are tried, in the order in which they are sent. */
export function CodesField({
  situation: { chosen },
  change,
  error,
  inputRef,
}: {
  situation: Situation
  change: Change
  error?: string | undefined
  inputRef: Ref<HTMLInputElement>
}) {
  const search = useChoiceFinder()
  const setChosen = (edit: (chosen: Chosen[]) => Chosen[]) => change((now) => ({ ...now, chosen: edit(now.chosen) }))
  const add = ({ object, id, name }: FoundChoice) =>
    setChosen((now) => (now.some((other) => sameChosen(other, { object, id })) ? now : [...now, { object, id, name }]))
  const move = (from: number, by: number) =>
    setChosen((now) => {
      const to = from + by
      const [moved] = now.slice(from, from + 1)
      if (moved === undefined || to < 0 || to >= now.length) return now
      const others = now.filter((_, index) => index !== from)
      return [...others.slice(0, to), moved, ...others.slice(to)]
    })
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium text-xs">Codes and promotions</legend>
      {chosen.length > 0 && (
        <ol className="mb-1.5 space-y-1.5">
          {chosen.map((entry, index) => (
            <ChosenRow
              key={`${entry.object} ${entry.id}`}
              chosen={entry}
              number={index + 1}
              isOnly={chosen.length === 1}
              onEdit={(patch) =>
                setChosen((now) => now.map((other) => (sameChosen(other, entry) ? { ...other, ...patch } : other)))
              }
              onRemove={() => setChosen((now) => now.filter((other) => !sameChosen(other, entry)))}
              onMove={(by) => move(index, by)}
            />
          ))}
        </ol>
      )}
      <Choose<FoundChoice>
        label="Add a code or a promotion"
        hidesLabel
        placeholder={chosen.length === 0 ? 'Type a code, or the name of a promotion' : 'Add another'}
        value={null}
        onChange={(found) => found && add(found)}
        search={search}
        free={(text) => ({ object: 'voucher', id: text, note: 'Try this code' })}
        keyOf={({ object, id }) => `${object} ${id}`}
        textOf={({ id, name }) => name ?? id}
        error={error}
        row={({ object, id, name, note }) => (
          <>
            <span className={object === 'voucher' ? 'min-w-0 truncate font-mono' : 'min-w-0 truncate'}>
              {name ?? id}
            </span>
            <span className="min-w-0 shrink-[2] truncate text-muted text-xs">{note}</span>
          </>
        )}
        isAdder
        inputRef={inputRef}
      />
    </fieldset>
  )
}

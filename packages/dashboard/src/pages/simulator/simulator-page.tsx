import { useSearch } from '@tanstack/react-router'
import { FlaskConical, RotateCcw } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { sentenceOf } from '../../api/failures.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, Loading, Notice } from '../../ui/state.tsx'
import { CodesField } from './codes-field.tsx'
import { CustomerField } from './customer-field.tsx'
import { LinesField } from './lines-field.tsx'
import { MoreFields } from './more-fields.tsx'
import { Qualifying } from './qualifying.tsx'
import { faultsOf } from './request.ts'
import { Result } from './result.tsx'
import { isEmpty } from './situation.ts'
import { useSimulation } from './use-simulation.ts'
import { useSituation } from './use-situation.ts'

/** Try a cart, a customer and codes, and see what comes of it and why, before anything is redeemed. */
export function SimulatorPage() {
  const { situation, change, reset, trySample, isLoading, failure, isTooLarge } = useSituation()
  const simulation = useSimulation(situation)
  const codes = useRef<HTMLInputElement>(null)
  const { customer: from, code } = useSearch({ from: '/$project/simulator' })
  useEffect(() => {
    // Who comes from a customer's page wants to check a code.
    if (from && !code) codes.current?.focus()
  }, [from, code])
  const fault = simulation.failure
  const faults = faultsOf(fault && { key: fault.key, errors: fault.errors, sentence: sentenceOf(fault) })
  const hasChosen = situation.chosen.length > 0
  const { customer, lines } = situation
  return (
    <Page
      title="Simulator"
      about="Try a customer, a cart and codes. It says what each would do and why, and leaves no trace."
      actions={
        <>
          {hasChosen && simulation.mayValidate && (
            <CopyCall name="POST /v1/validations" input={{ body: simulation.call }} method="validateRedeemables" />
          )}
          <Button
            icon={<RotateCcw aria-hidden="true" className="size-4" />}
            disabled={isEmpty(situation)}
            onClick={reset}
          >
            Reset
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)] xl:grid-cols-[minmax(0,25rem)_minmax(0,1fr)]">
        <Panel title="Situation">
          <div className="space-y-4">
            {failure && <Notice tone="bad">{sentenceOf(failure)}</Notice>}
            <CustomerField
              situation={situation}
              change={change}
              error={faults.customer}
              onChosen={() => setTimeout(() => codes.current?.focus())}
            />
            <CodesField situation={situation} change={change} error={faults.codes} inputRef={codes} />
            <LinesField situation={situation} change={change} faults={faults.lines} />
            <div className="border-line border-t pt-4">
              <MoreFields situation={situation} change={change} errors={faults} />
            </div>
            {isTooLarge && (
              <p className="text-muted text-xs">This cart is too large for an address: it cannot be shared by link.</p>
            )}
          </div>
        </Panel>
        <div className="min-w-0 space-y-4">
          {isLoading ? (
            <Panel flush>
              <Loading lines={5} />
            </Panel>
          ) : isEmpty(situation) ? (
            <Panel>
              <Empty
                title="What would happen at the checkout?"
                action={
                  <Button
                    look="primary"
                    icon={<FlaskConical aria-hidden="true" className="size-4" />}
                    onClick={trySample}
                  >
                    Try a sample cart
                  </Button>
                }
              >
                Choose a customer, type a code and add what is bought. You see what each code or promotion takes off, in
                which order, and the reason when one is refused.
              </Empty>
            </Panel>
          ) : !simulation.mayValidate ? (
            <Notice tone="info" title="Your role may look, and not try codes">
              What would qualify is shown below. To see what a code does and why, ask a user of the project: a
              validation may hold codes for a checkout, so it is not for viewers.
            </Notice>
          ) : hasChosen ? (
            <Result situation={situation} simulation={simulation} faults={faults} />
          ) : (
            <Notice tone="info">
              Type a code or choose a promotion to see what it does{customer || lines.length > 0 ? ' here' : ''}.
            </Notice>
          )}
          {!isLoading && !isEmpty(situation) && situation.others && (
            <Qualifying
              qualification={simulation.qualification}
              question={simulation.qualificationBody}
              customer={situation.customer?.name}
              failure={simulation.qualificationFailure}
              isLoading={simulation.isQualifying}
              chosen={situation.chosen}
              onAdd={(chosen) => change((now) => ({ ...now, chosen: [...now.chosen, chosen] }))}
            />
          )}
        </div>
      </div>
    </Page>
  )
}

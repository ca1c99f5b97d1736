import { Code } from 'lucide-react'
import { useState } from 'react'
import type { Input, OperationName } from '../api/client.ts'
import { curlOf, type MethodOf, programOf } from '../api/code.ts'
import { Button, type ButtonLook } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Tabs } from '../ui/tabs.tsx'

interface CopyCallProps<Name extends OperationName> {
  name: Name
  input: Input<Name>
  /** The method of the client, where the call is shown as a program too. */
  method?: MethodOf<Name>
  label?: string
  look?: ButtonLook
  size?: 'normal' | 'small'
}

/** A button that shows the call a page makes, ready for a terminal or a program. */
export function CopyCall<Name extends OperationName>(props: CopyCallProps<Name>) {
  const { name, input, method, label = 'Copy as code', look = 'plain', size = 'normal' } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        look={look}
        size={size}
        icon={<Code aria-hidden="true" className="size-4" />}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </Button>
      <Dialog
        title="Copy as code"
        about="The same call for a terminal or a program. Set the variables to a key of your own."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        size="wide"
      >
        <Calls name={name} input={input} method={method} />
      </Dialog>
    </>
  )
}

/** A part of its own: the texts are written only once the dialog is open. */
function Calls<Name extends OperationName>(props: Pick<CopyCallProps<Name>, 'name' | 'input' | 'method'>) {
  const { name, input, method } = props
  const [tab, setTab] = useState('curl')
  const { origin } = window.location
  const curl = curlOf(origin, name, input)
  if (method === undefined) return <CodeBlock text={curl} />
  return (
    <Tabs
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'curl', label: 'curl', content: <CodeBlock text={curl} /> },
        {
          value: 'typescript',
          label: 'TypeScript',
          content: <CodeBlock text={programOf(origin, method, input)} />,
        },
      ]}
    />
  )
}

import { Code } from 'lucide-react'
import { useState } from 'react'
import type { Input, OperationName } from '../api/client.ts'
import { curlOf, sdkOf } from '../api/code.ts'
import { Button, type ButtonLook } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Tabs } from '../ui/tabs.tsx'

interface CopyCallProps<Name extends OperationName> {
  name: Name
  input: Input<Name>
  /** The call with the client library, where that has a method for it: `validations.validateStackable` and what it takes. */
  sdk?: { method: string; args: readonly unknown[] } | undefined
  label?: string
  look?: ButtonLook
  size?: 'normal' | 'small'
}

/** A button that shows the call a page makes, ready for a terminal or a program. */
export function CopyCall<Name extends OperationName>(props: CopyCallProps<Name>) {
  const { name, input, sdk, label = 'Copy as code', look = 'plain', size = 'normal' } = props
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
        about="The same call for a terminal or a program. Put your own key in place of the placeholders."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        size="wide"
      >
        <Calls name={name} input={input} sdk={sdk} />
      </Dialog>
    </>
  )
}

/** A part of its own: the texts are written only once the dialog is open. */
function Calls<Name extends OperationName>({ name, input, sdk }: Pick<CopyCallProps<Name>, 'name' | 'input' | 'sdk'>) {
  const [tab, setTab] = useState('curl')
  const curl = curlOf(name, input)
  if (sdk === undefined) return <CodeBlock text={curl} />
  return (
    <Tabs
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'curl', label: 'curl', content: <CodeBlock text={curl} /> },
        {
          value: 'typescript',
          label: 'TypeScript',
          content: <CodeBlock text={sdkOf(sdk.method, sdk.args)} />,
        },
      ]}
    />
  )
}

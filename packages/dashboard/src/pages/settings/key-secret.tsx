import type { Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyText } from '../../ui/code-block.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/state.tsx'
import { firstCall } from './key-words.ts'

/** The secret of a key, which nobody will see again. */
export function KeySecret({ apiKey, onClose }: { apiKey: Schemas['ApiKeyWithSecret']; onClose: () => void }) {
  return (
    <Dialog title={apiKey.name} isOpen onClose={onClose} size="wide">
      <div className="space-y-5">
        <Notice tone="warn" title="Copy the secret now.">
          It is shown only this once: the service keeps no copy. If it is lost, make a new one.
        </Notice>
        <dl className="divide-y divide-line border-line border-y">
          <SecretLine name="Id (X-App-Id)" text={apiKey.app_id} />
          <SecretLine name="Secret (X-App-Token)" text={apiKey.secret} />
        </dl>
        <div>
          <h3 className="mb-1.5 font-medium text-xs">A first call</h3>
          <CodeBlock text={firstCall(window.location.origin, apiKey)} />
        </div>
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function SecretLine({ name, text }: { name: string; text: string }) {
  return (
    <div className="grid items-center gap-x-4 py-1.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd>
        <CopyText text={text} wraps />
      </dd>
    </div>
  )
}

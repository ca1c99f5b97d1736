import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'

/**
 * The code as images to print. Their addresses name the public address of the service, which need not be the one this page was
 * loaded from; by its path alone an image comes from here, as the Content-Security-Policy demands.
 */
export function CodeImages({ code: { code, assets } }: { code: Schemas['Voucher'] }) {
  return (
    <Panel title="QR and bar code">
      <div className="space-y-4">
        <CodeImage name="QR code" file={`${code}-qr`} path={`/v1/assets/qr/${assets.qr.id}`} shape="size-36" />
        <CodeImage
          name="Bar code"
          file={`${code}-barcode`}
          path={`/v1/assets/barcode/${assets.barcode.id}`}
          shape="h-16 w-full object-contain"
        />
      </div>
    </Panel>
  )
}

function CodeImage({ name, file, path, shape }: { name: string; file: string; path: string; shape: string }) {
  const [isMissing, setIsMissing] = useState(false)
  if (isMissing) return <p className="text-muted">{name}: the letters of this code cannot be drawn as one.</p>
  return (
    <figure>
      {/* White in both themes: scanners need it. */}
      <div className="flex justify-center rounded-md border border-line bg-[#fff] p-2">
        <img src={`${path}?format=svg`} alt={name} className={shape} onError={() => setIsMissing(true)} />
      </div>
      <figcaption className="mt-2 flex items-center justify-between gap-2">
        <span className="text-muted text-xs">{name}</span>
        <span className="flex gap-1">
          {(['png', 'svg'] as const).map((format) => (
            <a
              key={format}
              href={`${path}?format=${format}&size=${format === 'png' ? 20 : 10}`}
              download={`${file}.${format}`}
              aria-label={`Download the ${name} as ${format.toUpperCase()}`}
              className={buttonClasses('quiet', 'small')}
            >
              <Download aria-hidden="true" className="size-3.5" />
              {format.toUpperCase()}
            </a>
          ))}
        </span>
      </figcaption>
    </figure>
  )
}
